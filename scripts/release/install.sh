#!/bin/sh
# Installs relay @VERSION@ for the current user: fetches the file for this machine, compares it with SHA256SUMS, and puts it
# into ~/.local/bin. RELAY_INSTALL_DIR names another directory, RELAY_DOWNLOAD_URL another place to fetch from.
set -eu

version='@VERSION@'
url="${RELAY_DOWNLOAD_URL:-@DOWNLOADS@}"
folder="${RELAY_INSTALL_DIR:-$HOME/.local/bin}"

fail() {
  echo "relay was not installed: $1" >&2
  exit 1
}

has() {
  command -v "$1" >/dev/null 2>&1
}

# The executable is linked with glibc.
is_musl() {
  has ldd && ldd --version 2>&1 | grep -qi musl
}

# Follows redirects to https only.
fetch() {
  if has curl; then
    curl --fail --silent --show-error --location --proto-redir '=https' --output "$2" "$1" || fail "$1 cannot be fetched."
  elif has wget; then
    from="$1"
    for _ in 1 2 3 4 5; do
      ! wget --no-verbose --server-response --max-redirect=0 --output-document="$2" "$from" 2>"$2.log" || return 0
      from="$(awk 'tolower($1) == "location:" { to = $2 } END { sub(/\r$/, "", to); print to }' "$2.log")"
      case "$from" in https://*) ;; *) break ;; esac
    done
    fail "$1 cannot be fetched."
  else
    fail 'curl or wget is needed to fetch it.'
  fi
}

sum_of() {
  if has sha256sum; then
    sha256sum "$1" | cut -d ' ' -f 1
  elif has shasum; then
    shasum -a 256 "$1" | cut -d ' ' -f 1
  else
    fail 'sha256sum or shasum is needed to check the file.'
  fi
}

main() {
  case "$(uname -s)-$(uname -m)" in
    Linux-x86_64 | Linux-amd64) target=linux-x64 ;;
    Linux-aarch64 | Linux-arm64) target=linux-arm64 ;;
    Darwin-arm64) target=darwin-arm64 ;;
    Darwin-x86_64) target=darwin-x64 ;;
    *) fail "there is no file for $(uname -s) on $(uname -m)." ;;
  esac
  case "$target" in
    linux-*)
      if is_musl; then
        fail 'this system has musl as its C library, like Alpine, and the file needs glibc 2.28 or newer. With Node.js, use the package for npm.'
      fi
      ;;
  esac
  name="relay-$version-$target"
  # Without xz, fetch the executable unpacked.
  file="$name"
  if has xz && has tar; then file="$name.tar.xz"; fi

  temp="$(mktemp -d)" || fail 'no temporary directory can be made.'
  trap 'rm -rf "$temp"' EXIT
  trap 'exit 130' INT TERM
  fetch "$url/SHA256SUMS" "$temp/SHA256SUMS"
  fetch "$url/$file" "$temp/$file"
  expected="$(awk -v file="$file" '$2 == file { print $1 }' "$temp/SHA256SUMS")"
  [ -n "$expected" ] || fail "SHA256SUMS does not name $file."
  [ "$(sum_of "$temp/$file")" = "$expected" ] || fail "$file is not the file that SHA256SUMS names."

  program="$temp/$name"
  if [ "$file" != "$name" ]; then
    xz -dc "$temp/$file" | tar -xf - -C "$temp" || fail "$file cannot be unpacked."
    program="$temp/$name/relay"
  fi
  mkdir -p "$folder" || fail "$folder cannot be made."
  # In two steps, so that a running relay keeps its file.
  cp "$program" "$folder/.relay.new" || fail "$folder cannot be written to."
  chmod 755 "$folder/.relay.new"
  # A file that cannot run here must not replace one that can.
  if ! told="$("$folder/.relay.new" --version 2>&1)"; then
    rm -f "$folder/.relay.new"
    fail "the file does not run on this system: $(echo "$told" | head -n 1)"
  fi
  mv -f "$folder/.relay.new" "$folder/relay"

  echo "Installed $folder/relay ($version)."
  case ":$PATH:" in
    *":$folder:"*) echo 'Next: relay serve' ;;
    *) echo "$folder is not in your PATH. Add it, or run: $folder/relay serve" ;;
  esac
}

# At the end, so that nothing runs unless the whole file has arrived.
main
