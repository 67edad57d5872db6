import { type Operation, operations } from '@quipu/contract'

const PATH_MAX = 200

/** Path prefixes after which the path may contain a secret. */
const secretPaths: readonly string[] = Object.values<Operation>(operations)
  .filter(({ secretPath }) => secretPath)
  .map(({ path }) => path.slice(0, path.indexOf('{')))

/** The path for the log: shortened, and without a secret. */
export function loggedPathOf(path: string): string {
  for (const start of secretPaths) if (path.startsWith(start)) return `${start}…`
  return path.slice(0, PATH_MAX)
}

/** The path of a URL: proxies and some tools send the full URL. */
export function originForm(url: string): string {
  if (url.startsWith('/')) return url
  const scheme = url.indexOf('://')
  if (scheme < 0) return url
  const path = url.indexOf('/', scheme + 3)
  return path < 0 ? '/' : url.slice(path)
}
