import { asOAuthError, errorResponse, oauthErrorResponse } from './error-responses.ts'
import { errors, oauthErrors } from './errors.table.ts'
import { examples } from './examples/index.ts'
import { withReferences } from './json-schema.ts'
import type { Family, Operation, Who } from './operation.ts'
import { errorsOf } from './operation-errors.ts'
import { type OperationName, operations } from './operations.ts'
import { type AnyShape, namesIn, referable, type Schema } from './shape/index.ts'

type Json = { readonly [key: string]: unknown }
type Components = Map<string, Json>

const schemaIn = (schema: Schema, components: Components): Json =>
  withReferences(schema, components, '#/components/schemas/')

const tags: Readonly<Record<Family, string>> = {
  trading: 'Trading: account, orders, assets, positions, clock',
  data: 'Market data',
  broker: 'Broker API: accounts, money, apps and tokens, for partners',
  oauth: 'OAuth for apps',
  tokenization: 'Tokenized shares',
  sim: 'Worlds, clocks and keys',
  system: 'Server: pages, health and metrics',
}

const security: Readonly<Record<Who, readonly Json[]>> = {
  account: [{ keyId: [], secretKey: [] }, { basic: [] }, { bearer: [] }],
  partner: [{ basic: [] }, { keyId: [], secretKey: [] }, { bearer: [] }],
  issuer: [{ basic: [] }, { keyId: [], secretKey: [] }, { bearer: [] }],
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
      'OAuth token of an account. On /v1 also a token of POST /v1/oauth2/token, on /sim/v1 also a token of POST /oauth/session/token.',
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
      description:
        'A self-hosted brokerage compatible with the Alpaca API. Money and quantities are text. Errors are {code, message, reason}.',
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
  description: 'Id of the request, also in the log.',
  schema: { type: 'string', pattern: '^[0-9a-f]{32}$' },
}
const responseHeaders = { 'X-Request-ID': { $ref: '#/components/headers/RequestId' } }

const errorSchemas = {
  Error: {
    type: 'object',
    required: ['code', 'message'],
    properties: {
      code: { type: ['integer', 'string'], description: 'A number; for locates a text.' },
      message: { type: 'string' },
      reason: { type: 'string', description: 'Name of the error, see the list of errors.' },
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

/** The security schemes for all kinds of callers, without duplicates. */
function securityOf(who: readonly Who[]): readonly Json[] {
  const schemes = who.flatMap((one) => security[one])
  return [...new Map(schemes.map((scheme) => [Object.keys(scheme).join(), scheme])).values()]
}

const mediaTypes = {
  json: 'application/json',
  form: 'application/x-www-form-urlencoded',
  bytes: 'application/octet-stream',
} as const

function operationObject(name: OperationName, declared: Operation, components: Components): Json {
  const { summary, family, who, scope, deprecated, body, bodyKind = 'json' } = declared
  const example = examples[name].input as { readonly body?: unknown }
  const media = mediaTypes[bodyKind]
  return {
    operationId: name,
    summary,
    tags: [family],
    deprecated: deprecated || undefined,
    security: securityOf(who),
    'x-scope': scope,
    'x-state': declared.state,
    parameters: parametersOf(declared, components),
    requestBody: body && {
      required: true,
      content: { [media]: { schema: schemaIn(referable(body), components), example: example.body } },
    },
    responses: { [declared.status]: success(name, declared, components), ...refusals(declared) },
  }
}

function parametersOf(declared: Operation, components: Components): readonly Json[] {
  const part = (location: 'path' | 'query' | 'header', fields: Readonly<Record<string, AnyShape>> = {}) =>
    Object.entries(fields).map(([name, field]) => {
      const { description, ...schema } = schemaIn(referable(field), components)
      const isList = schema['type'] === 'array'
      return {
        name,
        in: location,
        required: location === 'path' || field.presence === 'required',
        description,
        style: isList ? 'form' : undefined,
        explode: isList ? false : undefined,
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
  const headers = responseHeaders
  if (raw !== undefined) {
    return {
      description: 'Success.',
      headers,
      content: { [raw]: { schema: isText(raw) ? { type: 'string' } : {} } },
    }
  }
  if (output === undefined) return { description: 'Success, without a body.', headers }
  const schema = schemaIn(referable(output), components)
  const content: Record<string, Json> = { 'application/json': { schema, example: examples[name].output } }
  for (const type of declared.also ?? []) content[type] = { schema: { type: 'string' } }
  return { description: 'Success.', headers, content }
}

const isText = (media: string): boolean => !/^image|octet-stream/.test(media)

/** The error responses by status, each with an example of every error. */
function refusals(declared: Operation): Json {
  if (declared.raw?.startsWith('text/html') && declared.family === 'oauth') return pageRefusals
  if (declared.family === 'oauth') return oauthRefusals(declared)
  const byStatus = Map.groupBy(errorsOf(declared), (name) => errors[name].status)
  return Object.fromEntries(
    [...byStatus].map(([status, names]) => [
      status,
      refusal(
        names.map((name) => errors[name].when).join('; '),
        '#/components/schemas/Error',
        Object.fromEntries(names.map((name) => [name, { value: errorResponse(name, sampleValues).body }])),
      ),
    ]),
  )
}

const refusal = (description: string, $ref: string, all: Json): Json => ({
  description,
  headers: responseHeaders,
  content: { 'application/json': { schema: { $ref }, examples: all } },
})

/** Responses of pages for users. Errors of the app are returned to the app by a redirect where that is safe. */
const pageRefusals: Json = Object.fromEntries(
  (
    [
      [303, 'Redirect to the app with a code or an error, to sign-in, or to the next page.'],
      [400, 'A page with the error.'],
      [429, 'A page with the time to wait, after too many failed attempts.'],
      [503, 'A page that asks to try again.'],
    ] as const
  ).map(([status, description]) => [
    status,
    { description, content: { 'text/html; charset=utf-8': { schema: { type: 'string' } } } },
  ]),
)

/** Errors of RFC 6749, and the errors of any request in the same format. */
function oauthRefusals(declared: Operation): Json {
  if (declared.body === undefined) return {}
  const standard = namesIn(oauthErrors).map((name) => {
    const { status, body } = oauthErrorResponse(name)
    return { status, when: oauthErrors[name].when, name, body }
  })
  const others = ([...errorsOf(declared), 'tooManyFailedAttempts'] as const).map((name) => {
    const { status, body } = errorResponse(name, sampleValues)
    return { status, when: errors[name].when, name, body: asOAuthError(status, body) }
  })
  const byStatus = Object.groupBy([...standard, ...others], ({ status }) => status)
  return Object.fromEntries(
    Object.entries(byStatus).map(([status, rows = []]) => {
      const all = Object.fromEntries(rows.map(({ name, body }) => [name, { value: body }]))
      const when = rows.map((row) => row.when).join('; ')
      return [status, refusal(when, '#/components/schemas/OAuthError', all)]
    }),
  )
}

/** Values for the placeholders of messages in the examples. */
const sampleValues: Readonly<Record<string, string>> = {
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
