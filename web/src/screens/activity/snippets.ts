import { type LoggedRequest, type OperationName, routes } from '@quipu/sdk'
import { pathValues } from '../../format/request-sentence.ts'

export type Language = 'curl' | 'TypeScript' | 'Python'
export const languages: readonly Language[] = ['curl', 'TypeScript', 'Python']

/** A logged request as a program that sends it again. The keys come from the variables that `quipu env --all` prints. */
export function snippetOf(language: Language, request: LoggedRequest): string {
  const parts = partsOf(request)
  if (language === 'curl') return curlOf(parts)
  return language === 'TypeScript' ? typescriptOf(parts) : pythonOf(parts)
}

type Parts = {
  readonly method: string
  readonly path: string
  readonly operation: string | undefined
  readonly query: readonly (readonly [string, string])[]
  /** The body: JSON, or another text that cannot be read as JSON, for example because it was shortened. */
  readonly json: unknown
  readonly text: string | undefined
  readonly isOperators: boolean
}

function partsOf({ method, path, query, body, operation }: LoggedRequest): Parts {
  let json: unknown
  try {
    json = body === undefined ? undefined : JSON.parse(body)
  } catch {
    json = undefined
  }
  return {
    method,
    path,
    operation,
    query: [...new URLSearchParams(query ?? '')],
    json,
    text: body,
    isOperators: /^\/(sim|v1)\//.test(path),
  }
}

const shellQuoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`
const search = (query: Parts['query']): string =>
  query.length === 0 ? '' : `?${new URLSearchParams(query.map(([name, value]) => [name, value]))}`

function curlOf({ method, path, query, json, text, isOperators }: Parts): string {
  const body = json === undefined ? text : JSON.stringify(json, null, 2).replaceAll('\n', '\n  ')
  const lines = [
    `"$APCA_API_BASE_URL${path}${search(query)}"`,
    ...(method === 'GET' ? [] : [`-X ${method}`]),
    ...(isOperators
      ? ['-u "$QUIPU_BROKER_KEY:$QUIPU_BROKER_SECRET"']
      : ['-H "APCA-API-KEY-ID: $APCA_API_KEY_ID"', '-H "APCA-API-SECRET-KEY: $APCA_API_SECRET_KEY"']),
    ...(body === undefined ? [] : ["-H 'Content-Type: application/json'", `-d ${shellQuoted(body)}`]),
  ]
  return `curl ${lines.join(' \\\n  ')}`
}

function typescriptOf(parts: Parts): string {
  const route = routes[parts.operation as OperationName]
  const client = parts.isOperators
    ? [
        "const { QUIPU_BROKER_KEY: keyId = '', QUIPU_BROKER_SECRET: secretKey = '' } = process.env",
        'const { client } = createQuipu({ keyId, secretKey })',
      ]
    : ['const { client } = createQuipu()']
  const params = route && pathValues(route.path, parts.path)
  const input = {
    ...(params && Object.keys(params).length > 0 && { params }),
    ...(parts.query.length > 0 && {
      query: Object.fromEntries(parts.query.map(([name, value]) => [name, plainValue(value)])),
    }),
    ...(parts.json !== undefined && { body: parts.json }),
  }
  const argument = Object.keys(input).length === 0 ? '' : literal(input, script)
  return [
    "import { createQuipu } from '@quipu/sdk'",
    '',
    ...client,
    route
      ? `console.log(await client.${parts.operation}(${argument}))`
      : `// No operation has the path ${parts.path}.`,
  ].join('\n')
}

/** A number or a boolean of a query, as its operation declares it. */
function plainValue(text: string): unknown {
  if (text === 'true' || text === 'false') return text === 'true'
  return /^\d{1,9}$/.test(text) ? Number(text) : text
}

function pythonOf({ method, path, query, json, text, isOperators }: Parts): string {
  const lines = [
    `env["APCA_API_BASE_URL"] + ${literal(path, python)}`,
    isOperators
      ? 'auth=(env["QUIPU_BROKER_KEY"], env["QUIPU_BROKER_SECRET"])'
      : 'headers={"APCA-API-KEY-ID": env["APCA_API_KEY_ID"],\n           "APCA-API-SECRET-KEY": env["APCA_API_SECRET_KEY"]}',
    ...(query.length > 0 ? [`params=${literal(Object.fromEntries(query), python, '  ')}`] : []),
    ...(json === undefined
      ? text === undefined
        ? []
        : [`data=${literal(text, python)}`]
      : [`json=${literal(json, python, '  ')}`]),
  ]
  return [
    'import requests',
    'from os import environ as env',
    '',
    `response = requests.${method.toLowerCase()}(\n${lines.map((line) => `  ${line},\n`).join('')})`,
    'print(response.status_code, response.text)',
  ].join('\n')
}

type Syntax = { readonly quote: string; readonly isPython: boolean }
const script: Syntax = { quote: "'", isPython: false }
const python: Syntax = { quote: '"', isPython: true }
const words: Readonly<Record<string, string>> = { true: 'True', false: 'False', null: 'None' }
const LINE_MAX = 64

/** A value as a literal of a language: on one line if it fits, else one field per line. */
function literal(value: unknown, syntax: Syntax, indent = ''): string {
  const { quote, isPython } = syntax
  const quoted = (text: string) =>
    quote + JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll(quote, `\\${quote}`) + quote
  if (typeof value === 'string') return quoted(value)
  if (typeof value !== 'object' || value === null)
    return (isPython ? words[String(value)] : undefined) ?? String(value)
  const isList = Array.isArray(value)
  const inner = `${indent}  `
  const items = isList
    ? value.map((one) => literal(one, syntax, inner))
    : Object.entries(value).map(([key, one]) => {
        const name = !isPython && /^[a-z_]\w*$/i.test(key) ? key : quoted(key)
        return `${name}: ${literal(one, syntax, inner)}`
      })
  const [open, close] = isList ? '[]' : '{}'
  const space = isList || isPython || items.length === 0 ? '' : ' '
  const line = `${open}${space}${items.join(', ')}${space}${close}`
  if (line.length + indent.length <= LINE_MAX && !line.includes('\n')) return line
  return `${open}\n${items.map((item) => `${inner}${item},\n`).join('')}${indent}${close}`
}
