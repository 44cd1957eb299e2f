/** What each host takes in the schemas of a tool: the table in `src/mcp/README.md` as rules. */
import type { ToolEntry } from '../../src/mcp/toolEntries.ts';

export type Schema = Record<string, unknown>;

/** One sentence for everything that a host would drop, cut or refuse. */
export type Rule = (entry: ToolEntry) => string[];

interface Place {
  path: string;
  schema: Schema;
}

const COMBINATORS = ['anyOf', 'oneOf', 'allOf', 'not', 'if', 'then', 'else', 'enum'];
const BOUNDS = ['minimum', 'maximum', 'multipleOf', 'minLength', 'maxLength', 'minItems', 'maxItems'];

/** Name of the server in the clients: see `connect`. */
const SERVER = 'relay';

/** A schema and all schemas within it, outermost first. Schemas that are not objects are included, since hosts see them too. */
function placesOf(schema: Schema, path = ''): Place[] {
  const inner = (key: string, value: unknown) => placesOf(value as Schema, `${path}.${key}`);
  const within = (key: string) =>
    Object.entries(recordOf(schema[key])).flatMap(([name, it]) => inner(name, it));
  return [
    { path, schema },
    ...within('properties'),
    ...(schema.items === undefined ? [] : inner('items', schema.items)),
    ...(typeof schema.additionalProperties === 'object' ? inner('*', schema.additionalProperties) : []),
    ...['anyOf', 'oneOf', 'allOf', 'prefixItems'].flatMap(within),
  ];
}

function recordOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

/** A sentence for each place of the input schema where `wrong` says what is wrong. */
function everywhere(wrong: (schema: Schema, path: string) => string | false): Rule {
  return ({ inputSchema }) => sentences(inputSchema, wrong);
}

function sentences(schema: Schema, wrong: (schema: Schema, path: string) => string | false): string[] {
  return placesOf(schema).flatMap((place) => {
    const sentence = wrong(place.schema, place.path);
    return sentence === false ? [] : [`${place.path || 'the root'}: ${sentence}`];
  });
}

const plainRoot: Rule = ({ inputSchema }) => [
  ...(inputSchema.type === 'object' && inputSchema.properties
    ? []
    : ['the root is no object with properties']),
  ...COMBINATORS.filter((keyword) => keyword in inputSchema).map((keyword) => `the root has ${keyword}`),
];

const no = (keywords: readonly string[]): Rule =>
  everywhere((schema) => {
    const found = keywords.filter((keyword) => keyword in schema);
    return found.length > 0 && found.join(', ');
  });

const only = (keywords: readonly string[]): Rule =>
  everywhere((schema) => {
    const found = Object.keys(schema).filter((keyword) => !keywords.includes(keyword));
    return found.length > 0 && found.join(', ');
  });

const itemsOfArrays = everywhere(
  ({ type, items }) => type === 'array' && (typeof items !== 'object' || Array.isArray(items)) && 'no items',
);
const oneType = everywhere(({ type }) => typeof type !== 'string' && 'not one type');
const noTypeLists = everywhere(({ type }) => Array.isArray(type) && 'a list of types');
const closedObjects = everywhere(
  ({ type, additionalProperties }) => type === 'object' && additionalProperties !== false && 'an open object',
);
const propertyNames = everywhere(({ properties }) => {
  const wrong = Object.keys(recordOf(properties)).filter(
    (name) => !/^[A-Za-z_][A-Za-z0-9_]{0,63}$/.test(name),
  );
  return wrong.length > 0 && `property ${wrong.join(', ')}`;
});
const noBooleanSchemas: Rule = ({ inputSchema, outputSchema }) =>
  [inputSchema, outputSchema].flatMap((root) =>
    sentences(root, (schema) => typeof schema !== 'object' && 'a boolean as a schema'),
  );

const shortDescriptions: Rule = ({ description, inputSchema }) => [
  ...(description.length > 1024 ? [`${description.length} characters of description`] : []),
  ...sentences(
    inputSchema,
    ({ description: text }) => String(text ?? '').length > 1024 && 'a long description',
  ),
];

/** Checks the name with the prefix that the host adds. */
const nameUpTo =
  (length: number, prefix: string): Rule =>
  ({ name }) =>
    `${prefix}${name}`.length <= length && /^[a-zA-Z0-9_-]+$/.test(name) ? [] : [`the name ${prefix}${name}`];

/** The schema as the converters to strict functions write it: everything required, null for what was optional. */
export function strictForm(schema: Schema): Schema {
  const { properties, items, required = [] } = schema;
  const names = Object.keys(recordOf(properties));
  const strict = (name: string, value: unknown) => {
    const form = strictForm(value as Schema);
    return (required as string[]).includes(name) ? form : { ...form, type: [form.type, 'null'] };
  };
  return {
    ...schema,
    ...(properties
      ? {
          properties: Object.fromEntries(
            Object.entries(recordOf(properties)).map(([name, value]) => [name, strict(name, value)]),
          ),
          required: names,
        }
      : {}),
    ...(items ? { items: strictForm(items as Schema) } : {}),
  };
}

/** The limits of OpenAI on the strict form: its objects are closed, and their size is bounded. */
const openaiLimits: Rule = ({ inputSchema }) => {
  const places = placesOf(strictForm(inputSchema));
  const properties = places.flatMap(({ schema }) => Object.keys(recordOf(schema.properties)));
  const choices = places.flatMap(({ schema }) => (Array.isArray(schema.enum) ? schema.enum : []));
  const depth = Math.max(...places.map(({ path }) => path.split('.').length));
  return [
    ...(properties.length > 5000 ? [`${properties.length} properties`] : []),
    ...(choices.length > 1000 ? [`${choices.length} values of enums`] : []),
    ...(depth > 10 ? [`${depth} levels`] : []),
  ];
};

/** Checked per tool, since the host chooses which tools are strict. */
const anthropicLimits: Rule = ({ inputSchema }) => {
  const optional = placesOf(inputSchema).flatMap(({ schema }) =>
    Object.keys(recordOf(schema.properties)).filter(
      (name) => !((schema.required as string[] | undefined) ?? []).includes(name),
    ),
  );
  return optional.length > 24 ? [`${optional.length} optional parameters`] : [];
};

const noOutputTypeLists: Rule = ({ outputSchema }) =>
  sentences(outputSchema, ({ type }) => Array.isArray(type) && 'a list of types');

/** The rules of each host, by its name. */
export const HOSTS: Readonly<Record<string, readonly Rule[]>> = {
  'OpenAI, strict functions': [
    plainRoot,
    closedObjects,
    no([
      'default',
      'allOf',
      'oneOf',
      'not',
      'if',
      'then',
      'else',
      'pattern',
      'format',
      'prefixItems',
      ...BOUNDS,
    ]),
    openaiLimits,
    nameUpTo(64, ''),
  ],
  'Anthropic, any tool': [plainRoot, propertyNames, nameUpTo(64, '')],
  'Anthropic, strict tools': [
    plainRoot,
    closedObjects,
    no(['pattern', '$ref', ...BOUNDS]),
    anthropicLimits,
    nameUpTo(64, ''),
  ],
  'Gemini, function declarations': [
    oneType,
    itemsOfArrays,
    propertyNames,
    no(['$schema', '$ref', '$defs', 'anyOf', 'oneOf', 'allOf', 'const', 'uniqueItems', 'prefixItems']),
    nameUpTo(63, ''),
  ],
  'Gemini CLI': [oneType, nameUpTo(63, `mcp_${SERVER}_`)],
  'VS Code': [
    plainRoot,
    itemsOfArrays,
    no(['default', 'pattern', 'format', ...BOUNDS]),
    shortDescriptions,
    nameUpTo(64, `mcp_${SERVER}_`),
  ],
  Cursor: [oneType, noTypeLists, nameUpTo(60, `${SERVER}:`)],
  Codex: [
    only(['type', 'description', 'enum', 'items', 'properties', 'required', 'additionalProperties']),
    plainRoot,
    nameUpTo(64, `mcp__${SERVER}__`),
  ],
  'Claude Code': [plainRoot, propertyNames, noBooleanSchemas, nameUpTo(64, `mcp__${SERVER}__`)],
  'MCP Inspector': [plainRoot, noTypeLists, noOutputTypeLists, noBooleanSchemas],
};
