import type { Method, Operation } from './operation.ts'

/** What a request path leads to. `params` are percent-decoded. */
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
  /** Where the rest of the path is one parameter. */
  rest: Leaf | undefined
  readonly leaf: Leaf
}

/** Whole literal paths by one look-up, all others by segments, where a literal wins over a placeholder. */
export function makeRouter<Name extends string>(operations: Readonly<Record<Name, Operation>>): Router<Name> {
  const exact = new Map<string, Leaf>()
  const root = emptyNode()
  for (const [name, { method, path }] of Object.entries<Operation>(operations)) {
    const leaf = path.includes('{') ? planted(root, path) : literalLeaf(exact, path)
    if (leaf.has(method)) throw new Error(`bug: two operations at ${method} ${path}`)
    leaf.set(method, { name, params: [...path.matchAll(/\{(\w+)/g)].map((match) => match[1]!) })
  }
  return (method, given) => {
    const path = given.length > 1 && given.endsWith('/') ? given.slice(0, -1) : given
    const literal = exact.get(path)
    const found = literal ? { leaf: literal, values: [] } : walk(root, path.slice(1).split('/'), 0, [])
    return found === undefined ? { kind: 'notFound' } : answer(found, method)
  }
}

function answer<Name extends string>({ leaf, values }: Found, method: string): Routing<Name> {
  // HEAD is GET without its body; the server drops it.
  const target = leaf.get(method === 'HEAD' ? 'GET' : method)
  if (target === undefined) return { kind: 'methodNotAllowed', allowed: [...leaf.keys()] as Method[] }
  const params: Record<string, string> = {}
  for (const [index, name] of target.params.entries()) {
    const value = decoded(values[index]!)
    if (value === undefined) return { kind: 'notDecodable' }
    params[name] = value
  }
  return { kind: 'found', name: target.name as Name, params }
}

const emptyNode = (): Node => ({ literals: new Map(), param: undefined, rest: undefined, leaf: new Map() })

function literalLeaf(exact: Map<string, Leaf>, path: string): Leaf {
  const leaf = exact.get(path) ?? new Map()
  exact.set(path, leaf)
  return leaf
}

function planted(root: Node, path: string): Leaf {
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
  return node.leaf
}

type Found = { readonly leaf: Leaf; readonly values: readonly string[] }

function walk(
  node: Node,
  segments: readonly string[],
  from: number,
  values: readonly string[],
): Found | undefined {
  if (from === segments.length) return node.leaf.size > 0 ? { leaf: node.leaf, values } : undefined
  const segment = segments[from]!
  const literal = node.literals.get(segment)
  const straight = literal && walk(literal, segments, from + 1, values)
  if (straight) return straight
  if (segment === '') return undefined
  const inside = node.param && walk(node.param, segments, from + 1, [...values, segment])
  if (inside) return inside
  return node.rest && { leaf: node.rest, values: [...values, segments.slice(from).join('/')] }
}

function decoded(value: string): string | undefined {
  if (!value.includes('%')) return value
  try {
    return decodeURIComponent(value)
  } catch {
    return undefined
  }
}
