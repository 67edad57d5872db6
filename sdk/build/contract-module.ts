import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type ClientRoute, type Operation, operations, routes, type Schema } from '@quipu/contract'
import { camelName } from '../src/records/case.ts'
import { commentText, NamedTypes } from './type-text.ts'

const contract = join(import.meta.dirname, '..', '..', 'contract', 'src')
const streams = join(contract, 'streams')
const orderTypes = join(contract, 'operations', 'trading', 'order-types.ts')

/** Constants of the contract whose component has another name. */
const otherNames: Readonly<Record<string, string>> = { Book: 'Orderbook' }

/**
 * The files that replace `src/contract.ts` in the package: flat types instead of the types that derive from the shapes,
 * and the route table as data. The compiler reads them thirty times as fast, and no schema is in the bundle.
 */
export function contractModule(): Readonly<Record<string, string>> {
  return {
    'contract.ts': contractText(),
    ...Object.fromEntries(
      readdirSync(streams)
        .filter((file) => file !== 'index.ts' && !file.endsWith('.spec.ts'))
        .map((file) => [`contract-streams/${file}`, streamText(readFileSync(join(streams, file), 'utf8'))]),
    ),
    'contract-streams/index.ts': readFileSync(join(streams, 'index.ts'), 'utf8'),
  }
}

/** The declarations of stream messages, with the flat types. */
function streamText(source: string): string {
  const flat = (name: string) => {
    const bare = name.replace(/Shape$/, '')
    return otherNames[bare] ?? bare
  }
  const types = [...source.matchAll(/TypeOf<typeof (\w+)>/g)].map(([, name = '']) => flat(name))
  const withoutImports = source.replace(/^import type .*\n/gm, '')
  const rest = withoutImports.replace(/TypeOf<typeof (\w+)>/g, (_, name) => flat(name))
  const imported = [...new Set(types)].sort().join(', ')
  return imported === '' ? rest : `import type { ${imported} } from '../contract.ts'\n${rest}`
}

function contractText(): string {
  const types = new NamedTypes()
  const calls: string[] = []
  const members: string[] = []
  const table: string[] = []
  for (const [name, declared] of Object.entries<Operation>(operations)) {
    const callName = `${name.slice(0, 1).toUpperCase()}${name.slice(1)}Call`
    calls.push(`export interface ${callName} ${callText(declared, types)}`)
    members.push(memberText(name, callName, declared, types))
    table.push(`  readonly ${name}: ${callName}`)
  }
  return [
    '// Generated from the contract. Do not edit.',
    `export * from './contract-streams/index.ts'`,
    callOptionsText,
    `export interface Client {\n${members.join('\n')}\n}`,
    'export type OperationName = keyof Client',
    `export interface Calls {\n${table.join('\n')}\n}`,
    'export type Call<Name extends OperationName> = Calls[Name]',
    'export type Output<Name extends OperationName> = Awaited<ReturnType<Client[Name]>>',
    ...calls,
    ...types.declarations,
    ...types.declarations.flatMap(camelText),
    readFileSync(orderTypes, 'utf8'),
    routeTypeText,
    `export const routes = /* @__PURE__ */ readRoutes(\`${routeLines().join('\n')}\`)`,
    readRoutesText,
  ].join('\n')
}

/** The records that programs read with camelCase names. */
const camelRecords: ReadonlySet<string> = new Set(['Account', 'Order', 'Position'])

/** The declaration of `CamelOrder` from that of `Order`: a type that derives it costs every program thousands of steps. */
function camelText(declaration: string): readonly string[] {
  const [, name = ''] = /export interface (\w+) \{/.exec(declaration) ?? []
  if (!camelRecords.has(name)) return []
  const camel = declaration
    .replace(`interface ${name} `, `interface Camel${name} `)
    .replace(/^( +readonly )(\w+)/gm, (_, before, key) => before + camelName(key))
    .replace(/ \| null$/gm, ' | undefined')
    .replaceAll(/(?<=readonly )(\w+)(?=\[\])/g, (item) => (camelRecords.has(item) ? `Camel${item}` : item))
  return [camel]
}

const callOptionsText = `export interface ResponseInfo { readonly status: number; readonly headers: Headers }
export interface CallOptions {
  readonly signal?: AbortSignal | undefined
  /** Called with status and headers of a successful response. */
  readonly onResponse?: ((response: ResponseInfo) => void) | undefined
}`

const routeTypeText = `export interface ClientRoute {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly query: readonly string[]
  readonly headers: readonly string[]
  /** Fields of the query and of the body that are days in New York, at any depth. */
  readonly days: readonly string[]
  readonly body?: 'json' | 'form'
  readonly response: 'json' | 'empty' | 'text' | 'bytes'
}`

/** The operations of partners on accounts derive from those of trading: `+A` and `+P` after the name stand for them. */
const derived = {
  A: { suffix: 'ForAccount', prefix: '/v1/trading/accounts/{account_id}' },
  P: { suffix: 'ForPartner', prefix: '/v1' },
} as const

/** One line per route: half the size of JSON in the compressed package. A response is JSON unless the line names another. */
function routeLines(): readonly string[] {
  const lineOf = (name: string, { method, path, query, headers, days, body, response }: ClientRoute) =>
    [name, method, path, query.join(), headers.join(), body, days.join(), response.replace('json', '')]
      .join(' ')
      .trimEnd()
  const all = new Map<string, ClientRoute>(Object.entries(routes))
  const derivedNames = new Set<string>()
  const flagsOf = (name: string, route: ClientRoute) =>
    Object.entries(derived).flatMap(([flag, { suffix, prefix }]) => {
      const other = all.get(name + suffix)
      const headers = ['x-quipu-world', ...route.headers]
      const expected = { ...route, path: prefix + route.path.slice('/v2'.length), headers }
      if (other === undefined || lineOf('', other) !== lineOf('', expected)) return []
      derivedNames.add(name + suffix)
      return [flag]
    })
  const flags = new Map([...all].map(([name, route]) => [name, flagsOf(name, route).join('')]))
  return [...all]
    .filter(([name]) => !derivedNames.has(name))
    .map(([name, route]) => lineOf(flags.get(name) ? `${name}+${flags.get(name)}` : name, route))
}

const readRoutesText = `function readRoutes(text: string): { readonly [Name in OperationName]: ClientRoute } {
  const list = (names = '') => (names === '' ? [] : names.split(','))
  const routes: Record<string, unknown> = {}
  for (const line of text.split('\\n')) {
    const [names = '', method, path = '', query, headers, body, days, response = 'json'] = line.split(' ')
    const [name, flags = ''] = names.split('+')
    const add = (suffix: string, path: string, more: readonly string[]) => {
      const route = { method, path, query: list(query), headers: [...more, ...list(headers)], days: list(days), response }
      routes[name + suffix] = body ? { ...route, body } : route
    }
    add('', path, [])
    ${Object.entries(derived)
      .map(
        ([flag, { suffix, prefix }]) =>
          `if (flags.includes('${flag}')) add('${suffix}', '${prefix}' + path.slice(3), ['x-quipu-world'])`,
      )
      .join('\n    ')}
  }
  return routes as never
}`

const parts = ['params', 'query', 'headers'] as const

/** The input of an operation by part of the request. A part may be omitted if all of its fields are optional. */
function callText(declared: Operation, types: NamedTypes): string {
  const lines = parts.flatMap((part) => {
    const fields = Object.entries(declared[part]?.fields ?? {})
    if (declared[part] === undefined) return []
    const isOptional = fields.every(([, { presence }]) => presence !== 'required')
    const texts = fields.map(([name, field]) =>
      types.fieldText(name, listed(schemaOf(field), part), {
        direction: 'sent',
        isRequired: field.presence === 'required',
        indent: '    ',
      }),
    )
    return [`  readonly ${part}${isOptional ? '?' : ''}: {\n${texts.join('\n')}\n  }`]
  })
  if (declared.body)
    lines.push(
      `  readonly body${isEmptyAllowed(declared.body.json()) ? '?' : ''}: ${types.typeText(schemaOf(declared.body), 'sent', '  ')}`,
    )
  return `{\n${lines.join('\n')}\n}`
}

const schemaOf = (shape: NonNullable<Operation['body']>): Schema =>
  shape.name === undefined ? shape.json() : { component: shape.name, schema: shape.json() }

/** A list in a query is an array, or one item, or text with commas. */
function listed(schema: Schema, part: (typeof parts)[number]): Schema {
  if (part !== 'query' || schema.items === undefined) return schema
  return { anyOf: [schema, schema.items], description: schema['description'] }
}

const isEmptyAllowed = (schema: Schema): boolean =>
  schema['type'] === 'object' && (schema.required ?? []).length === 0

function memberText(name: string, callName: string, declared: Operation, types: NamedTypes): string {
  const { output, raw, summary, deprecated } = declared
  const result = output
    ? types.typeText(schemaOf(output), 'received', '  ')
    : raw === undefined
      ? 'undefined'
      : raw.startsWith('image/') || raw === 'application/octet-stream'
        ? 'Uint8Array'
        : 'string'
  const about = commentText(deprecated ? `${summary} @deprecated` : summary, '  ')
  return `${about}  ${name}(call${isCallOptional(declared) ? '?' : ''}: ${callName}, options?: CallOptions): Promise<${result}>`
}

function isCallOptional(declared: Operation): boolean {
  const fields = parts.flatMap((part) => Object.values(declared[part]?.fields ?? {}))
  const isBodyOptional = declared.body === undefined || isEmptyAllowed(declared.body.json())
  return isBodyOptional && fields.every(({ presence }) => presence !== 'required')
}
