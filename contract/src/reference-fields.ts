import { type AnyShape, referable, type Schema } from './shape/index.ts'

export type FieldRow = {
  readonly name: string
  readonly type: string
  readonly presence: string
  readonly about: string
}

// Deep enough for nested records such as the accounts of a world; it also ends recursive records.
const depthMax = 2

/** The fields of a record, or of the items of a list, each with its type in words. */
export const fieldRows = (shape: AnyShape): readonly FieldRow[] => rowsOf(referable(shape), '', 0)

function rowsOf(schema: Schema, prefix: string, depth: number): readonly FieldRow[] {
  const inner = resolved(schema)
  if (inner['type'] === 'array') return rowsOf(inner['items'] as Schema, `${prefix}[]`, depth)
  const properties = inner['properties'] as Readonly<Record<string, Schema>> | undefined
  if (properties === undefined) {
    const values = inner['additionalProperties'] as Schema | undefined
    return values === undefined ? [] : rowsOf(values, joined(prefix, '{key}'), depth)
  }
  const required = new Set(inner['required'] as readonly string[] | undefined)
  return Object.entries(properties).flatMap(([key, field]) => {
    const name = joined(prefix, key)
    const nested = depth < depthMax && isNested(field) ? rowsOf(field, name, depth + 1) : []
    return [
      {
        name,
        type: typeInWords(field),
        presence: presenceOf(field, required.has(key)),
        about: String(field['description'] ?? ''),
      },
      ...nested,
    ]
  })
}

const joined = (prefix: string, key: string): string => (prefix === '' ? key : `${prefix}.${key}`)

/** The schema of a named part. */
const resolved = (schema: Schema): Schema => (schema['schema'] as Schema | undefined) ?? schema

function isNested(schema: Schema): boolean {
  const inner = resolved(schema)
  if (inner['type'] === 'array') return isNested(inner['items'] as Schema)
  return inner['properties'] !== undefined || typeof inner['additionalProperties'] === 'object'
}

const presenceOf = (field: Schema, required: boolean): string => {
  if (field['default'] !== undefined) return `default ${shown(field['default'])}`
  return required ? '' : 'optional'
}

const shown = (value: unknown): string =>
  typeof value === 'bigint' ? String(value) : (JSON.stringify(value) ?? '')

/** A type in words: `text`, `UUID`, `buy | sell`, `list of Order`, `decimal or null`. */
export function typeInWords(schema: Schema): string {
  if (typeof schema['component'] === 'string') return schema['component']
  const choices = schema['anyOf'] as readonly Schema[] | undefined
  if (choices !== undefined) return [...new Set(choices.map(typeInWords))].join(' or ')
  if (schema['const'] !== undefined) return shown(schema['const'])
  const words = schema['enum'] as readonly string[] | undefined
  if (words !== undefined) return words.map((word) => word || '""').join(' | ')
  const type = schema['type']
  if (Array.isArray(type)) return typesInWords(schema, type)
  return typeof type === 'string' ? oneType(schema, type) : 'anything'
}

function typesInWords(schema: Schema, types: readonly string[]): string {
  if (types.includes('number') && types.includes('string')) return `${schema['title']} (text or number)`
  return types.map((type) => (type === 'null' ? 'null' : oneType(schema, type))).join(' or ')
}

const formats: Readonly<Record<string, string>> = {
  uuid: 'UUID',
  date: 'date',
  'date-time': 'timestamp',
}

const oneType = (schema: Schema, type: string): string => typeWords[type]?.(schema) ?? type

/** The words of the types of JSON Schema; other types are their own word. */
const typeWords: Readonly<Record<string, (schema: Schema) => string>> = {
  string: (schema) => String(schema['title'] ?? formats[String(schema['format'])] ?? 'text'),
  integer: (schema) => bounded('integer', schema),
  boolean: () => 'true | false',
  array: (schema) => `list of ${typeInWords(schema['items'] as Schema)}`,
  object: (schema) => (schema['properties'] === undefined ? 'record by key' : 'record'),
}

const bounded = (word: string, { minimum, maximum }: Schema): string =>
  minimum !== undefined && maximum !== undefined ? `${word} from ${minimum} to ${maximum}` : word
