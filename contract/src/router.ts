import type { Method, Operation } from './operation.ts'

/** The operation of a request path. `params` are percent-decoded. */
export type Route<Name extends string = string> = {
  readonly name: Name
  readonly params: Readonly<Record<string, string>>
}
export type Routing<Name extends string = string> =
  | ({ readonly kind: 'found' } & Route<Name>)
  | { readonly kind: 'methodNotAllowed'; readonly allowed: readonly Method[] }
  | { readonly kind: 'notDecodable' }
  | { readonly kind: 'notFound' }

export type Router<Name extends string = string> = (method: string, path: string) => Routing<Name>

type Target = { readonly name: string; readonly params: readonly string[] }
type Leaf = Map<string, Target>
type Node = {
  readonly literals: Map<string, Node>
  param: Node | undefined
  /** Targets that take the rest of the path as one parameter. */
  rest: Leaf | undefined
  /** The targets of a path that ends here; empty for a path that is not served. */
  leaf: Leaf | undefined
}

/**
 * Looks up literal paths in one map and all others by segments; a literal wins over a placeholder. `unserved`: paths of
 * the protocol without an operation. They are not found, where a placeholder would take their last word for an id.
 */
export function makeRouter<Name extends string>(
  operations: Readonly<Record<Name, Operation>>,
  unserved: readonly string[] = [],
): Router<Name> {
  const exact = new Map<string, Leaf>()
  const root = emptyNode()
  const leafOf = (path: string) => (path.includes('{') ? addPath(root, path) : literalLeaf(exact, path))
  for (const path of unserved) leafOf(path)
  for (const [name, { method, path }] of Object.entries<Operation>(operations)) {
    const leaf = leafOf(path)
    if (leaf.has(method)) throw new Error(`bug: two operations at ${method} ${path}`)
    leaf.set(method, { name, params: [...path.matchAll(/\{(\w+)/g)].map((match) => match[1]!) })
  }
  return (requestMethod, rawPath) => {
    // HEAD is GET; the server drops the body.
    const method = requestMethod === 'HEAD' ? 'GET' : requestMethod
    const trimmed = rawPath.length > 1 && rawPath.endsWith('/') ? rawPath.slice(0, -1) : rawPath
    // Some clients encode the colon of paths such as /v2/orders:by_client_order_id.
    const path = trimmed.includes('%3') ? trimmed.replaceAll(/%3a/gi, ':') : trimmed
    const literal = exact.get(path)
    const target = literal?.get(method)
    if (target !== undefined) return { kind: 'found', name: target.name as Name, params: {} }
    const found: FoundRoute[] = literal === undefined ? [] : [{ leaf: literal, values: [] }]
    walk(root, path.slice(1).split('/'), 0, [], found)
    return routingOf(found, method)
  }
}

/** The first match that has the method. Literal paths are checked before. */
function routingOf<Name extends string>(found: readonly FoundRoute[], method: string): Routing<Name> {
  if (found[0]?.leaf.size === 0) return { kind: 'notFound' }
  for (const { leaf, values } of found) {
    const target = leaf.get(method)
    if (target === undefined) continue
    const params = decoded(target.params, values)
    if (params === undefined) return { kind: 'notDecodable' }
    return { kind: 'found', name: target.name as Name, params }
  }
  const allowed = found.flatMap(({ leaf }) => [...leaf.keys()] as Method[])
  return allowed.length === 0 ? { kind: 'notFound' } : { kind: 'methodNotAllowed', allowed }
}

const emptyNode = (): Node => ({ literals: new Map(), param: undefined, rest: undefined, leaf: undefined })

function literalLeaf(exact: Map<string, Leaf>, path: string): Leaf {
  const leaf = exact.get(path) ?? new Map()
  exact.set(path, leaf)
  return leaf
}

function addPath(root: Node, path: string): Leaf {
  let node = root
  for (const segment of path.slice(1).split('/')) {
    if (segment.endsWith('...}')) return (node.rest ??= new Map())
    if (segment.startsWith('{')) {
      node = node.param ??= emptyNode()
    } else {
      const next = node.literals.get(segment) ?? emptyNode()
      node.literals.set(segment, next)
      node = next
    }
  }
  return (node.leaf ??= new Map())
}

type FoundRoute = { readonly leaf: Leaf; readonly values: readonly string[] }

/** Collects every match, the most literal first. Each node is visited at most once, however long the path is. */
function walk(
  node: Node,
  segments: readonly string[],
  from: number,
  values: readonly string[],
  found: FoundRoute[],
): void {
  if (from === segments.length) {
    if (node.leaf !== undefined) found.push({ leaf: node.leaf, values })
    return
  }
  const segment = segments[from]!
  const literal = node.literals.get(segment)
  if (literal !== undefined) walk(literal, segments, from + 1, values, found)
  if (segment === '') return
  if (node.param !== undefined) walk(node.param, segments, from + 1, [...values, segment], found)
  if (node.rest !== undefined) {
    found.push({ leaf: node.rest, values: [...values, segments.slice(from).join('/')] })
  }
}

function decoded(names: readonly string[], values: readonly string[]): Record<string, string> | undefined {
  const params: Record<string, string> = {}
  try {
    for (const [index, name] of names.entries()) {
      const value = values[index]!
      params[name] = value.includes('%') ? decodeURIComponent(value) : value
    }
    return params
  } catch {
    return undefined
  }
}
