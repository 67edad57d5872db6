/** The keys of a record that has no other keys. */
export const keysOf = <R extends object>(record: R): readonly (keyof R & string)[] =>
  Object.keys(record) as (keyof R & string)[]

/** The entries of a record that has no other keys. */
export const recordEntries = <R extends object>(
  record: R,
): readonly (readonly [keyof R & string, R[keyof R]])[] =>
  Object.entries(record) as [keyof R & string, R[keyof R]][]

/** A record with a value for each of these names. */
export const recordBy = <Name extends string, Value>(
  names: readonly Name[],
  make: (name: Name, index: number) => Value,
): Record<Name, Value> =>
  Object.fromEntries(names.map((name, index) => [name, make(name, index)])) as Record<Name, Value>

/** The fields of a value of unknown type; none if the value is no object. */
export const fieldsIn = (value: unknown): Readonly<Record<string, unknown>> => (isObject(value) ? value : {})

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

/** A text up to a separator; the whole text without one. */
export function textBefore(text: string, separator: string): string {
  const end = text.indexOf(separator)
  return end < 0 ? text : text.slice(0, end)
}

/** The message of a thrown value, which may be no error. */
export function errorMessage(error: unknown): string {
  const message = fieldsIn(error)['message']
  return typeof message === 'string' ? message : String(error)
}

/** The code of a system error, such as `ENOENT`. */
export function errorCode(error: unknown): string | undefined {
  const code = fieldsIn(error)['code']
  return typeof code === 'string' ? code : undefined
}
