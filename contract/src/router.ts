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

type Leaf = { readonly byMethod: Map<string, string> }
type Node = {
  readonly literals: Map<string, Node>
  param: { readonly name: string; readonly node: Node } | undefined
  rest: { readonly name: string; readonly leaf: Leaf } | undefined
  readonly leaf: Leaf
}

/** Whole literal paths by one look-up, all others by segments, where a literal wins over a placeholder. */
export function makeRouter<Name extends string>(operations: Readonly<Record<Name, Operation>>): Router<Name> {
  const exact = new Map<string, Leaf>()
  const root = emptyNode()
  for (const [name, { method, path }] of Object.entries<Operation>(operations)) {
    const leaf = path.includes('{') ? planted(root, path) : literalLeaf(exact, path)
    if (leaf.byMethod.has(method)) throw new Error(`bug: two operations at ${method} ${path}`)
    leaf.byMethod.set(method, name)
  }
  return (method, given) => {
    const path = given.length > 1 && given.endsWith('/') ? given.slice(0, -1) : given
    const literal = exact.get(path)
    if (literal !== undefined) return answer(literal, method, {})
    const found = walk(root, path.slice(1).split('/'))
    if (found === undefined) return { kind: 'notFound' }
    const params = decoded(found.params)
    return params === undefined ? { kind: 'notDecodable' } : answer(found.leaf, method, params)
  }
}

function answer<Name extends string>(
  leaf: Leaf,
  method: string,
  params: Readonly<Record<string, string>>,
): Routing<Name> {
  // HEAD is GET without its body; the server drops it.
  const name = leaf.byMethod.get(method === 'HEAD' ? 'GET' : method)
  return name === undefined
    ? { kind: 'methodNotAllowed', allowed: [...leaf.byMethod.keys()] as Method[] }
    : { kind: 'found', name: name as Name, params }
}

const emptyNode = (): Node => ({
  literals: new Map(),
  param: undefined,
  rest: undefined,
  leaf: { byMethod: new Map() },
})

function literalLeaf(exact: Map<string, Leaf>, path: string): Leaf {
  const leaf = exact.get(path) ?? { byMethod: new Map() }
  exact.set(path, leaf)
  return leaf
}

const placeholder = /^\{(\w+)(\.\.\.)?\}$/

function planted(root: Node, path: string): Leaf {
  let node = root
  for (const segment of path.slice(1).split('/')) {
    const match = placeholder.exec(segment)
    if (match === null) {
      const next = node.literals.get(segment) ?? emptyNode()
      node.literals.set(segment, next)
      node = next
    } else if (match[2] === undefined) {
      node.param ??= { name: match[1]!, node: emptyNode() }
      if (node.param.name !== match[1]) throw new Error(`bug: ${path} renames {${node.param.name}}`)
      node = node.param.node
    } else {
      node.rest ??= { name: match[1]!, leaf: { byMethod: new Map() } }
      return node.rest.leaf
    }
  }
  return node.leaf
}

type Found = { readonly leaf: Leaf; readonly params: Record<string, string> }

function walk(node: Node, segments: readonly string[], from = 0): Found | undefined {
  if (from === segments.length)
    return node.leaf.byMethod.size > 0 ? { leaf: node.leaf, params: {} } : undefined
  const segment = segments[from]!
  const literal = node.literals.get(segment)
  const straight = literal && walk(literal, segments, from + 1)
  if (straight) return straight
  const inside = node.param && segment !== '' ? walk(node.param.node, segments, from + 1) : undefined
  if (inside) {
    inside.params[node.param!.name] = segment
    return inside
  }
  if (node.rest === undefined || segment === '') return undefined
  return { leaf: node.rest.leaf, params: { [node.rest.name]: segments.slice(from).join('/') } }
}

function decoded(params: Record<string, string>): Record<string, string> | undefined {
  for (const [name, value] of Object.entries(params)) {
    if (!value.includes('%')) continue
    try {
      params[name] = decodeURIComponent(value)
    } catch {
      return undefined
    }
  }
  return params
}
