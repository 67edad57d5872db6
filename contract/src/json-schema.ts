import { type AnyShape, referable, type Schema } from './shape/index.ts'

type Json = { readonly [key: string]: unknown }

/** The JSON Schema (2020-12) of a shape. Records accept only their declared fields. */
export function jsonSchema(
  shape: AnyShape,
  { id, title }: { readonly id: string; readonly title: string },
): Json {
  const definitions = new Map<string, Json>()
  const schema = withReferences(referable({ ...shape, name: undefined }), definitions, '#/$defs/')
  const $defs = Object.fromEntries([...definitions].sort(([a], [b]) => (a < b ? -1 : 1)))
  const document = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: id,
    title,
    ...schema,
    $defs,
  }
  return closed(document) as Json
}

/** The schema in which every record refuses other fields. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed)
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, closed(inner)]))
  const isRecord = fields['type'] === 'object' && fields['properties'] !== undefined
  return isRecord ? { ...fields, additionalProperties: false } : fields
}

/** Moves every named part of a schema into the components and returns references to them. */
export function withReferences(schema: Schema, components: Map<string, Json>, prefix: string): Json {
  const { component, schema: inner, ...rest } = schema
  if (component !== undefined) {
    if (inner !== undefined && !components.has(component)) {
      components.set(component, {})
      components.set(component, withReferences(inner, components, prefix))
    }
    return { $ref: `${prefix}${component}`, ...rest }
  }
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, valueWithReferences(value, components, prefix)]),
  )
}

function valueWithReferences(value: unknown, components: Map<string, Json>, prefix: string): unknown {
  if (Array.isArray(value)) return value.map((item) => valueWithReferences(item, components, prefix))
  if (typeof value === 'bigint') return String(value)
  return typeof value === 'object' && value !== null
    ? withReferences(value as Schema, components, prefix)
    : value
}
