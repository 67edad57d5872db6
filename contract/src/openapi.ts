import { asOAuthError, errorAnswer, oauthErrorAnswer } from './answers.ts'
import {
  type ErrorName,
  type ErrorRow,
  errors,
  type OAuthErrorName,
  type OAuthErrorRow,
  oauthErrors,
} from './errors.table.ts'
import { examples } from './examples/index.ts'
import type { Family, Operation, Who } from './operation.ts'
import { errorsOf } from './operation-errors.ts'
import { type OperationName, operations } from './operations.ts'
import { type AnyShape, referable, type Schema } from './shape/index.ts'

type Json = { readonly [key: string]: unknown }
type Components = Map<string, Json>

const tags: Readonly<Record<Family, string>> = {
  trading: 'Trading: account, orders, assets, positions, clock',
  data: 'Market data',
  broker: 'Accounts, money, apps and tokens, for partners',
  oauth: 'OAuth for apps',
  tokenization: 'Tokenized shares',
  sim: 'Worlds, clocks and keys',
  system: 'The process itself',
}

const security: Readonly<Record<Who, readonly Json[]>> = {
  account: [{ keyId: [], secretKey: [] }, { basic: [] }, { bearer: [] }],
  partner: [{ basic: [] }, { keyId: [], secretKey: [] }, { bearer: [] }],
  operator: [{ keyId: [], secretKey: [] }, { basic: [] }, { bearer: [] }],
  visitor: [{}],
  anyone: [{}],
}

const securitySchemes = {
  keyId: { type: 'apiKey', in: 'header', name: 'APCA-API-KEY-ID' },
  secretKey: { type: 'apiKey', in: 'header', name: 'APCA-API-SECRET-KEY' },
  basic: { type: 'http', scheme: 'basic', description: 'Key id and secret key.' },
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description:
      'An OAuth token of an account. On /v1: also a token of POST /v1/oauth2/token. On /sim/v1: also a token of POST /oauth/session/token.',
  },
}

/** The OpenAPI 3.1 document of all operations. */
export function openApi({ version, url }: { readonly version: string; readonly url: string }): Json {
  const components: Components = new Map()
  const paths: Record<string, Record<string, Json>> = {}
  for (const [name, declared] of Object.entries<Operation>(operations)) {
    const item = (paths[declared.path.replace('...}', '}')] ??= {})
    item[declared.method.toLowerCase()] = operationObject(name as OperationName, declared, components)
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Quipu',
      version,
      description: 'A brokerage you can run. Money and quantities are text; errors are {code, message}.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas: { ...Object.fromEntries([...components].sort(byName)), ...errorSchemas },
      headers: { RequestId: requestId },
      securitySchemes,
    },
  }
}

const byName = ([a]: [string, Json], [b]: [string, Json]): number => (a < b ? -1 : 1)

const requestId = {
  description: 'The id of the request; a log line has the same one.',
  schema: { type: 'string', pattern: '^[0-9a-f]{32}$' },
}
const answerHeaders = { 'X-Request-ID': { $ref: '#/components/headers/RequestId' } }

const errorSchemas = {
  Error: {
    type: 'object',
    required: ['code', 'message'],
    properties: {
      code: { type: ['integer', 'string'], description: 'A word for locates, else a number.' },
      message: { type: 'string' },
      reason: { type: 'string', description: 'Our own word for it.' },
    },
  },
  OAuthError: {
    type: 'object',
    required: ['error', 'code', 'message'],
    properties: {
      error: { type: 'string', examples: Object.keys(oauthErrors) },
      error_description: { type: 'string' },
      code: { type: 'integer' },
      message: { type: 'string' },
    },
  },
}

/** Each way once, also where several kinds of callers have it. */
function securityOf(who: readonly Who[]): readonly Json[] {
  const ways = who.flatMap((one) => security[one])
  return [...new Map(ways.map((way) => [Object.keys(way).join(), way])).values()]
}

function operationObject(name: OperationName, declared: Operation, components: Components): Json {
  const { summary, family, who, scope, deprecated, body, bodyKind = 'json' } = declared
  const example = examples[name].input as { readonly body?: unknown }
  const media = bodyKind === 'json' ? 'application/json' : 'application/x-www-form-urlencoded'
  return {
    operationId: name,
    summary,
    tags: [family],
    ...(deprecated ? { deprecated } : {}),
    security: securityOf(who),
    'x-scope': scope,
    'x-state': declared.state,
    parameters: parametersOf(declared, components),
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            required: true,
            content: { [media]: { schema: hoisted(referable(body), components), example: example.body } },
          },
        }),
    responses: { [declared.status]: success(name, declared, components), ...refusals(declared) },
  }
}

function parametersOf(declared: Operation, components: Components): readonly Json[] {
  const part = (place: 'path' | 'query' | 'header', fields: Readonly<Record<string, AnyShape>> = {}) =>
    Object.entries(fields).map(([name, field]) => {
      const { description, ...schema } = hoisted(referable(field), components)
      return {
        name,
        in: place,
        required: place === 'path' || field.presence === 'required',
        ...(description === undefined ? {} : { description }),
        ...(schema['type'] === 'array' ? { style: 'form', explode: false } : {}),
        schema,
      }
    })
  return [
    ...part('path', declared.params?.fields),
    ...part('query', declared.query?.fields),
    ...part('header', declared.headers?.fields),
  ]
}

function success(name: OperationName, declared: Operation, components: Components): Json {
  const { output, raw } = declared
  const headers = answerHeaders
  if (raw !== undefined) {
    return {
      description: 'Done.',
      headers,
      content: { [raw]: { schema: raw.startsWith('image/') ? {} : { type: 'string' } } },
    }
  }
  if (output === undefined) return { description: 'Done; the answer is empty.', headers }
  const schema = hoisted(referable(output), components)
  const content: Record<string, Json> = { 'application/json': { schema, example: examples[name].output } }
  for (const type of declared.also ?? []) content[type] = { schema: { type: 'string' } }
  return { description: 'Done.', headers, content }
}

/** The error answers by status, each with an example of every row it may be. */
function refusals(declared: Operation): Json {
  if (declared.raw?.startsWith('text/html') && declared.family === 'oauth') return pageRefusals
  if (declared.family === 'oauth') return oauthRefusals(declared)
  const byStatus = new Map<number, ErrorName[]>()
  for (const name of errorsOf(declared)) {
    const { status } = errors[name]
    byStatus.set(status, [...(byStatus.get(status) ?? []), name])
  }
  return Object.fromEntries(
    [...byStatus].map(([status, names]) => [
      status,
      refusal(
        names.map((name) => (errors[name] as ErrorRow).when).join('; '),
        '#/components/schemas/Error',
        Object.fromEntries(names.map((name) => [name, { value: errorAnswer(name, sampleWords).body }])),
      ),
    ]),
  )
}

const refusal = (description: string, $ref: string, all: Json): Json => ({
  description,
  headers: answerHeaders,
  content: { 'application/json': { schema: { $ref }, examples: all } },
})

/** A person reads them. What concerns the app goes back to it, where that is safe. */
const pageRefusals: Json = Object.fromEntries(
  (
    [
      [303, 'Leads on: to the app, with a code or an error; to sign-in; or to the next page.'],
      [400, 'A page that says what is wrong.'],
      [429, 'A page that says how long to wait, after too many wrong attempts.'],
      [503, 'A page that says to try again.'],
    ] as const
  ).map(([status, description]) => [
    status,
    { description, content: { 'text/html; charset=utf-8': { schema: { type: 'string' } } } },
  ]),
)

/** Errors of the standard, and what may befall any request, in the same form. */
function oauthRefusals(declared: Operation): Json {
  if (declared.body === undefined) return {}
  const own = (Object.entries<OAuthErrorRow>(oauthErrors) as [OAuthErrorName, OAuthErrorRow][]).map(
    ([name, { status, when }]) => ({ status, when, name, body: oauthErrorAnswer(name).body }),
  )
  const others = ([...errorsOf(declared), 'tooManyFailedAttempts'] as const).map((name) => {
    const { status, body } = errorAnswer(name, sampleWords)
    return { status, when: (errors[name] as ErrorRow).when, name, body: asOAuthError(status, body) }
  })
  const byStatus = Object.groupBy([...own, ...others], ({ status }) => status)
  return Object.fromEntries(
    Object.entries(byStatus).map(([status, rows = []]) => {
      const all = Object.fromEntries(rows.map(({ name, body }) => [name, { value: body }]))
      const when = rows.map((row) => row.when).join('; ')
      return [status, refusal(when, '#/components/schemas/OAuthError', all)]
    }),
  )
}

/** Words for the placeholders of messages, so that examples read like answers. */
const sampleWords: Readonly<Record<string, string>> = {
  problem: 'limit_price: expected a decimal, received "12,5"',
  symbol: 'AAPL',
  id: '0d5f2b0e-6a0b-4c53-9c57-2f1a0a3c9b11',
  field: 'limit_price',
  price: '290.123',
  status: 'filled',
  requested: '1000',
  available: '0',
  existingQty: '1000',
  heldForOrders: '1000',
  buyingPower: '1250.4',
  costBasis: '9999',
  type: 'stop',
  timeInForce: 'ioc',
  orderClass: 'bracket',
  inferred: 'buy_to_open',
  specified: 'sell_to_close',
  currency: 'EUR',
  issuer: 'xstocks',
  network: 'solana',
  accountNumber: '010203ABCD',
  text: 'Insufficient Eligibility: Client not eligible',
  world: 'friday',
  limit: '100',
  now: '2026-11-06T21:00:00Z',
  to: '2026-11-06T14:30:00Z',
  keyId: 'PKEXAMPLE00000000000',
  method: 'PUT',
  allowed: 'GET, POST',
  host: 'evil.example',
  expected: 'application/json',
  received: 'text/plain',
}

/** The same schema with every named part moved into the components and referred to. */
function hoisted(schema: Schema, components: Components): Json {
  const { component, schema: inner, ...rest } = schema
  if (typeof component === 'string') {
    if (inner !== undefined && !components.has(component)) {
      components.set(component, {})
      components.set(component, hoisted(inner as Schema, components))
    }
    return { $ref: `#/components/schemas/${component}`, ...rest }
  }
  return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, walked(value, components)]))
}

function walked(value: unknown, components: Components): unknown {
  if (Array.isArray(value)) return value.map((item) => walked(item, components))
  if (typeof value === 'bigint') return String(value)
  return typeof value === 'object' && value !== null ? hoisted(value as Schema, components) : value
}
