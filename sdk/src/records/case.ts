/** `limit_price` → `limitPrice`. */
export type CamelName<Name> = Name extends `${infer Word}_${infer Rest}`
  ? `${Word}${Capitalize<CamelName<Rest>>}`
  : Name

/** A record of the API with camelCase names. A field that is null on the wire is undefined. */
export type Camel<Value> = Value extends readonly (infer Item)[]
  ? readonly Camel<Item>[]
  : Value extends Date
    ? Value
    : Value extends object
      ? { readonly [Name in keyof Value as CamelName<Name>]: CamelField<Value[Name]> }
      : Value
type CamelField<Value> = Camel<Exclude<Value, null>> | (null extends Value ? undefined : never)

/** The record with camelCase names. Fields that are null are omitted. */
export function camelCase<Value>(value: Value): Camel<Value> {
  return renamed(value, camelName) as Camel<Value>
}

/** The fields as the API names them. Names of the API stay as they are. */
export const snakeCase = (value: object): never =>
  renamed(value, (name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)) as never

function renamed(value: unknown, rename: (name: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => renamed(item, rename))
  if (typeof value !== 'object' || value === null || value instanceof Date) return value
  const fields = Object.entries(value).filter(([, field]) => field !== null && field !== undefined)
  return Object.fromEntries(fields.map(([name, field]) => [rename(name), renamed(field, rename)]))
}

/** Names repeat in every record, so each is converted once. */
const camelNames = new Map<string, string>()
export function camelName(name: string): string {
  let camel = camelNames.get(name)
  if (camel === undefined) {
    camel = name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
    camelNames.set(name, camel)
  }
  return camel
}
