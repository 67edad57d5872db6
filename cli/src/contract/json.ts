export type Json = { readonly [key: string]: unknown }

export const objectOf = (value: unknown): Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {}
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** The value that a reference within the document names. */
export function resolved(root: Json, value: unknown): Json {
  let found = objectOf(value)
  for (let depth = 0; typeof found['$ref'] === 'string' && depth < 20; depth++) {
    const keys = found['$ref'].replace(/^#\//, '').split('/')
    const at = (inner: unknown, key: string): unknown => (inner as Json | undefined)?.[unescaped(key)]
    found = objectOf(keys.reduce<unknown>(at, root))
  }
  return found
}

const unescaped = (key: string): string => decodeURIComponent(key).replaceAll('~1', '/').replaceAll('~0', '~')
