import type { Method, Operation } from './operation.ts'
import { type OperationName, operations } from './operations.ts'

/** How a client sends a call: method, path, and the location of each input. */
export type ClientRoute = {
  readonly method: Method
  readonly path: string
  readonly params: readonly string[]
  readonly query: readonly string[]
  readonly headers: readonly string[]
  readonly body: 'json' | 'form' | 'bytes' | undefined
  /** The response: JSON, no body, other text, or the bytes of an image or a file. */
  readonly response: 'json' | 'empty' | 'text' | 'bytes'
}

const fieldNames = (part: Operation['query']): readonly string[] =>
  part === undefined ? [] : Object.keys(part.fields)

const routeOf = (declared: Operation): ClientRoute => ({
  method: declared.method,
  path: declared.path,
  params: fieldNames(declared.params),
  query: fieldNames(declared.query),
  headers: fieldNames(declared.headers),
  body: declared.body === undefined ? undefined : (declared.bodyKind ?? 'json'),
  response: responseOf(declared),
})

function responseOf({ output, raw }: Operation): ClientRoute['response'] {
  if (output !== undefined) return 'json'
  if (raw === undefined) return 'empty'
  return raw.startsWith('image/') || raw === 'application/octet-stream' ? 'bytes' : 'text'
}

/** The route of every operation, derived from its declaration. */
export const routes = Object.fromEntries(
  Object.entries<Operation>(operations).map(([name, declared]) => [name, routeOf(declared)]),
) as { readonly [Name in OperationName]: ClientRoute }
