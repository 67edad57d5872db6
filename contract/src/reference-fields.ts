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
  const { items, properties, additionalProperties: values } = inner
  if (items !== undefined) return rowsOf(items, `${prefix}[]`, depth)
  if (properties === undefined)
    return typeof values === 'object' ? rowsOf(values, joined(prefix, '{key}'), depth) : []
  const required = new Set(inner.required)
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
const resolved = (schema: Schema): Schema => schema.schema ?? schema

function isNested(schema: Schema): boolean {
  const inner = resolved(schema)
  if (inner.items !== undefined) return isNested(inner.items)
  return inner.properties !== undefined || typeof inner.additionalProperties === 'object'
}

const presenceOf = (field: Schema, required: boolean): string => {
  if (field['default'] !== undefined) return `default ${shown(field['default'])}`
  return required ? '' : 'optional'
}

const shown = (value: unknown): string =>
  typeof value === 'bigint' ? String(value) : (JSON.stringify(value) ?? '')

/** A type in words: `text`, `UUID`, `buy | sell`, `list of Order`, `decimal or null`. */
export function typeInWords(schema: Schema): string {
  const { component, anyOf: choices, enum: words } = schema
  if (component !== undefined) return component
  if (choices !== undefined) return [...new Set(choices.map(typeInWords))].join(' or ')
  if (schema['const'] !== undefined) return shown(schema['const'])
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
  array: ({ items = {} }) => `list of ${typeInWords(items)}`,
  object: (schema) => (schema['properties'] === undefined ? 'record by key' : 'record'),
}

const bounded = (word: string, { minimum, maximum }: Schema): string =>
  minimum !== undefined && maximum !== undefined ? `${word} from ${minimum} to ${maximum}` : word
