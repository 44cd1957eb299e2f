/** The answer to a request, read to its end. */
export interface Reply {
  status: number;
  headers: Headers;
  text: string;
  /** The body as JSON; undefined if it is not JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of many shapes and compare them as a whole
  json: any;
}

/** Sends a request with a bearer token, if there is one, and a JSON body. */
export async function send(
  url: string,
  method: string,
  token: string | null,
  body?: unknown,
): Promise<Reply> {
  const headers: Record<string, string> = token === null ? {} : { authorization: `Bearer ${token}` };
  if (body !== undefined) headers['content-type'] = 'application/json';
  const payload = body === undefined ? {} : { body: JSON.stringify(body) };
  return read(await fetch(url, { method, headers, ...payload }));
}

/** Reads the whole answer. */
export async function read(response: Response): Promise<Reply> {
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: parsed(text) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Opens `url` without following a redirect. `location` is the target of the redirect; null if there is a page instead. */
export async function visit(url: string): Promise<{ status: number; location: URL | null; text: string }> {
  const response = await fetch(url, { redirect: 'manual' });
  const location = response.headers.get('location');
  return {
    status: response.status,
    location: location ? new URL(location) : null,
    text: await response.text(),
  };
}

/** The body of a Web API error. */
export function errorBody(status: number, message: string, reason?: string) {
  return { error: reason === undefined ? { status, message } : { status, message, reason } };
}
