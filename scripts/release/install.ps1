# Installs relay @VERSION@ for the current user: fetches the archive, compares it with SHA256SUMS, and puts relay.exe into
# %LOCALAPPDATA%\Programs\relay, which it adds to your Path. $env:RELAY_INSTALL_DIR names another directory,
# $env:RELAY_DOWNLOAD_URL another place to fetch from.

# Follows redirects to https only.
function Save-Url($from, $to) {
  for ($hop = 0; $hop -lt 6; $hop++) {
    $request = [Net.WebRequest]::Create($from)
    $request.AllowAutoRedirect = $false
    $response = $request.GetResponse()
    try {
      if ([int]$response.StatusCode -lt 300) {
        $file = [IO.File]::Create($to)
        try { $response.GetResponseStream().CopyTo($file) } finally { $file.Dispose() }
        return
      }
      $from = [Uri]::new($response.ResponseUri, [string]$response.Headers['Location'])
    } finally {
      $response.Dispose()
    }
    if ($from.Scheme -ne 'https') { break }
  }
  throw "relay was not installed: $to cannot be fetched."
}

function Install-Relay {
  # Set in here, so that a session that runs the script by irm and iex keeps its own preferences.
  $ErrorActionPreference = 'Stop'
  $ProgressPreference = 'SilentlyContinue'
  $version = '@VERSION@'
  $url = if ($env:RELAY_DOWNLOAD_URL) { $env:RELAY_DOWNLOAD_URL } else { '@DOWNLOADS@' }
  $folder = if ($env:RELAY_INSTALL_DIR) { $env:RELAY_INSTALL_DIR } else { Join-Path $env:LOCALAPPDATA 'Programs\relay' }
  # Windows on ARM runs the x64 program too.
  $name = "relay-$version-win-x64"
  $temp = Join-Path ([IO.Path]::GetTempPath()) ([IO.Path]::GetRandomFileName())
  New-Item -ItemType Directory -Path $temp | Out-Null
  try {
    [Net.ServicePointManager]::SecurityProtocol = [Net.ServicePointManager]::SecurityProtocol -bor [Net.SecurityProtocolType]::Tls12
    $archive = Join-Path $temp "$name.zip"
    $sums = Join-Path $temp 'SHA256SUMS'
    Save-Url "$url/SHA256SUMS" $sums
    Save-Url "$url/$name.zip" $archive
    $line = Get-Content $sums | Where-Object { $_ -match "^[0-9a-f]{64}  $([regex]::Escape("$name.zip"))$" }
    if (-not $line) { throw "relay was not installed: SHA256SUMS does not name $name.zip." }
    $expected = $line.Substring(0, 64)
    if ((Get-FileHash -Algorithm SHA256 $archive).Hash -ne $expected) {
      throw "relay was not installed: $name.zip is not the file that SHA256SUMS names."
    }
    Expand-Archive -Path $archive -DestinationPath $temp
    New-Item -ItemType Directory -Force -Path $folder | Out-Null
    Copy-Item -Force (Join-Path $temp "$name\relay.exe") (Join-Path $folder 'relay.exe')
  } finally {
    Remove-Item -Recurse -Force $temp
  }
  Write-Output "Installed $(Join-Path $folder 'relay.exe') ($version)."
  $path = [Environment]::GetEnvironmentVariable('Path', 'User')
  if (($path -split ';') -notcontains $folder) {
    [Environment]::SetEnvironmentVariable('Path', "$path;$folder".TrimStart(';'), 'User')
    Write-Output 'Open a new terminal, then run: relay serve'
  } else {
    Write-Output 'Next: relay serve'
  }
}

# At the end, so that nothing runs unless the whole file has arrived.
Install-Relay
