import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Operation, operations, routes, type Schema } from '@quipu/contract'
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
    `export interface CallOptions { readonly signal?: AbortSignal | undefined }`,
    `export interface Client {\n${members.join('\n')}\n}`,
    'export type OperationName = keyof Client',
    `export interface Calls {\n${table.join('\n')}\n}`,
    'export type Call<Name extends OperationName> = Calls[Name]',
    'export type Output<Name extends OperationName> = Awaited<ReturnType<Client[Name]>>',
    ...calls,
    ...types.declarations,
    readFileSync(orderTypes, 'utf8'),
    routeTypeText,
    `export const routes = /* @__PURE__ */ readRoutes(\`${routeLines().join('\n')}\`)`,
    readRoutesText,
  ].join('\n')
}

const routeTypeText = `export interface ClientRoute {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly query: readonly string[]
  readonly headers: readonly string[]
  readonly body?: 'json' | 'form'
  readonly response: 'json' | 'empty' | 'text' | 'bytes'
}`

/** One line per route: half the size of JSON in the compressed package. */
const routeLines = (): readonly string[] =>
  Object.entries(routes).map(([name, { method, path, query, headers, body = '-', response }]) =>
    [name, method, path, query.join(), headers.join(), body, response].join(' '),
  )

const readRoutesText = `function readRoutes(text: string): { readonly [Name in OperationName]: ClientRoute } {
  const list = (names = '') => (names === '' ? [] : names.split(','))
  const entries = text.split('\\n').map((line) => {
    const [name, method, path, query, headers, body, response] = line.split(' ')
    const route = { method, path, query: list(query), headers: list(headers), response }
    return [name, body === '-' ? route : { ...route, body }]
  })
  return Object.fromEntries(entries)
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
const listed = (schema: Schema, part: (typeof parts)[number]): Schema =>
  part === 'query' && schema.items
    ? { anyOf: [schema, schema.items], description: schema['description'] }
    : schema

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
