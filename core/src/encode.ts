/**
 * Values as one line of JSON. Bigints are written `"~123"`; text that starts with `~` gets a second one; maps
 * and sets are tagged. Keys keep their order, so the same value gives the same bytes.
 */
export function encode(value: unknown): string {
  switch (typeof value) {
    case 'bigint':
      return `"~${value}"`
    case 'string':
      return text(value)
    case 'number':
      if (!Number.isFinite(value)) throw new Error(`bug: ${value} cannot be encoded`)
      return String(value)
    case 'boolean':
      return value ? 'true' : 'false'
    case 'object':
      return value === null ? 'null' : container(value)
    default:
      throw new Error(`bug: ${typeof value} cannot be encoded`)
  }
}

function container(value: object): string {
  if (Array.isArray(value)) return list('[', value)
  if (value instanceof Map) return `{"~map":${list('[', [...value].flat())}}`
  if (value instanceof Set) return `{"~set":${list('[', [...value])}}`
  let out = ''
  for (const key in value) {
    const part = (value as Record<string, unknown>)[key]
    if (part !== undefined) out += `${out === '' ? '{' : ','}"${key}":${encode(part)}`
  }
  return out === '' ? '{}' : `${out}}`
}

function list(open: '[', parts: readonly unknown[]): string {
  let out: string = open
  for (let index = 0; index < parts.length; index++) out += (index > 0 ? ',' : '') + encode(parts[index])
  return `${out}]`
}

const PLAIN = /^[ !#-[\]-}]*$/

function text(value: string): string {
  const marked = value.charCodeAt(0) === 126 ? `~${value}` : value
  return PLAIN.test(marked) ? `"${marked}"` : JSON.stringify(marked)
}

export const decode = (line: string): unknown => restore(JSON.parse(line))

function restore(value: unknown): unknown {
  if (typeof value === 'string') {
    if (value.charCodeAt(0) !== 126) return value
    return value.charCodeAt(1) === 126 ? value.slice(1) : BigInt(value.slice(1))
  }
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(restore)
  const record = value as Record<string, unknown>
  if (Array.isArray(record['~map'])) return mapFrom(record['~map'])
  if (Array.isArray(record['~set'])) return new Set(record['~set'].map(restore))
  for (const key in record) record[key] = restore(record[key])
  return record
}

function mapFrom(flat: readonly unknown[]): Map<unknown, unknown> {
  const map = new Map<unknown, unknown>()
  for (let index = 0; index < flat.length; index += 2) map.set(restore(flat[index]), restore(flat[index + 1]))
  return map
}
