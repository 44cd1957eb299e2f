/** The entries that relay adds to a client's JSON and TOML files, and the text of a JSON file with such an entry. */
import type { Addition } from '../../src/connect/merge.ts';

export const URL = 'http://127.0.0.1:4980/mcp';

/** The text of a JSON file that holds only the entry `relay`, in the given section. */
export const fileWith = (section: string, relay: object) =>
  `${JSON.stringify({ [section]: { relay } }, null, 2)}\n`;

/** What relay adds to a JSON file, as Cursor documents it. */
export const JSON_ADDITION: Addition = {
  format: 'json',
  section: 'mcpServers',
  name: 'relay',
  entry: { url: URL },
  shares: { headers: ['Authorization'] },
};

export const JSON_KEY_ADDITION: Addition = {
  ...JSON_ADDITION,
  entry: { url: URL, headers: { Authorization: 'Bearer k' } },
};

/** What relay adds to a TOML file, as Codex documents it. */
export const TOML_ADDITION: Addition = {
  format: 'toml',
  section: 'mcp_servers',
  name: 'relay',
  entry: { url: URL },
  shares: { http_headers: ['Authorization'], env_http_headers: ['Authorization'] },
};

export const TOML_KEY_ADDITION: Addition = {
  ...TOML_ADDITION,
  entry: { url: URL, http_headers: { Authorization: 'Bearer k' } },
};
