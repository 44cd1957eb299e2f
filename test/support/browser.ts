/**
 * The part of a browser that a login needs: it follows redirects, keeps the cookies of each host and port, and uses a ticket
 * as the page's script does.
 */

export interface Visit {
  status: number;
  url: string;
  headers: Headers;
  text: string;
}

export interface Browser {
  open(url: string): Promise<Visit>;
  /** One request, without following redirects. */
  step(url: string): Promise<Visit>;
}

/** @param options.headers headers of the browser for every request */
export function createBrowser(options: { headers?: Record<string, string> } = {}): Browser {
  const cookies = new Map<string, Map<string, string>>();

  async function step(url: string): Promise<Visit> {
    const { host } = new URL(url);
    const jar = cookies.get(host) ?? new Map<string, string>();
    cookies.set(host, jar);
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { ...options.headers, ...(cookie ? { cookie } : {}) },
    });
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';');
      const at = pair.indexOf('=');
      if (/max-age=0/i.test(line)) jar.delete(pair.slice(0, at));
      else jar.set(pair.slice(0, at), pair.slice(at + 1));
    }
    return { status: response.status, url, headers: response.headers, text: await response.text() };
  }

  async function useTicket(address: string): Promise<string> {
    const [, ticket] = /#ticket=(.+)$/.exec(address) ?? [];
    if (ticket === undefined) return address;
    const response = await fetch(new URL('/owner/ticket', address), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ticket }),
    });
    const { next } = (await response.json()) as { next?: string };
    return new URL(next ?? '/', address).href;
  }

  return {
    step,
    async open(address) {
      const url = await useTicket(address);
      let visit = await step(url);
      for (let hop = 0; hop < 10 && visit.status >= 300 && visit.status < 400; hop++) {
        visit = await step(new URL(visit.headers.get('location') ?? '', visit.url).href);
      }
      return visit;
    },
  };
}
