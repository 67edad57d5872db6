import { type Json, listOf, objectOf, resolved } from './json.ts'

/** The allowed values of a field; undefined if it takes others too. */
export type FieldValues = ReadonlySet<string> | undefined
/**
 * SchemaFields by path: `query status`, `body legs.symbol`, `response *.id`. A list has the path of its items, because a query
 * sends both as text.
 */
export type SchemaFields = ReadonlyMap<string, FieldValues>

/** The fields of a schema, with the field itself. A schema inside itself is not repeated. */
export function schemaFields(
  root: Json,
  schema: unknown,
  path: string,
  around: ReadonlySet<unknown> = new Set(),
): SchemaFields {
  const found = resolved(root, schema)
  const fields = new Map<string, FieldValues>([[path, valuesOf(found)]])
  if (around.has(found)) return fields
  const within = new Set([...around, found])
  const inner = (value: unknown, at: string): SchemaFields => schemaFields(root, value, at, within)
  const parts = variantsOf(found).map((variant) => inner(variant, path))
  const join = /^(body|response)$/.test(path) ? ' ' : '.'
  for (const [name, property] of Object.entries(objectOf(found['properties'])))
    parts.push(inner(property, `${path}${join}${name}`))
  if (found['items'] !== undefined) parts.push(inner(found['items'], path))
  const others = found['additionalProperties']
  if (typeof others === 'object' && others !== null) parts.push(inner(others, `${path}${join}*`))
  return mergeFields([fields, ...parts])
}

/** SchemaFields of several schemas. The values of a field that occurs in more than one are joined. */
export function mergeFields(parts: readonly SchemaFields[]): SchemaFields {
  const merged = new Map<string, FieldValues>()
  for (const part of parts)
    for (const [path, values] of part) {
      const known = merged.get(path)
      merged.set(path, known && values ? new Set([...known, ...values]) : (known ?? values))
    }
  return merged
}

const variantsOf = (schema: Json): readonly unknown[] =>
  ['allOf', 'anyOf', 'oneOf'].flatMap((key) => listOf(schema[key]))

function valuesOf(schema: Json): FieldValues {
  const values = 'const' in schema ? [schema['const']] : schema['enum']
  return Array.isArray(values) ? new Set(values.filter((value) => value !== null).map(String)) : undefined
}
