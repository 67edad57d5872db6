import { existsSync, readFileSync } from 'node:fs'
import { delimiter } from 'node:path'
import { rootCertificates } from 'node:tls'
import { isOfficial } from './gateway/hosts.ts'
import type { GatewayKeyPair } from './gateway/keys.ts'
import type { OuterProxy } from './gateway/proxy.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** Variables that name a file of trusted certificates. */
const bundleVariables = [
  'NODE_EXTRA_CA_CERTS',
  'SSL_CERT_FILE',
  'REQUESTS_CA_BUNDLE',
  'CURL_CA_BUNDLE',
  'GIT_SSL_CAINFO',
] as const

/** Where systems keep their trusted certificates: Debian, Red Hat, SUSE, Alpine and macOS. */
const systemBundles = [
  '/etc/ssl/certs/ca-certificates.crt',
  '/etc/pki/tls/certs/ca-bundle.crt',
  '/etc/ssl/ca-bundle.pem',
  '/etc/ssl/cert.pem',
] as const

/** The trusted certificates of the system, those that the environment names, and our own authority. */
export function trustedCertificates(env: Environment, authority: string): string {
  const named = bundleVariables.map((name) => env[name]).filter((file) => file !== undefined && file !== '')
  const system = systemBundles.find((file) => existsSync(file))
  const files = new Set([...(system === undefined ? [] : [system]), ...(named as string[]), authority])
  const texts = [...files].filter((file) => existsSync(file)).map((file) => readFileSync(file, 'utf8').trim())
  return `${[...(system === undefined ? rootCertificates : []), ...texts].join('\n')}\n`
}

export type ChildSettings = {
  /** The URL of the proxy. */
  readonly proxyUrl: string
  /** The port of the TLS listener. */
  readonly tlsPort: number
  readonly key: GatewayKeyPair
  /** The file with all trusted certificates. */
  readonly bundle: string
  /** The file that Node loads before the program. */
  readonly nodePreload: string
  /** The folder with our `sitecustomize.py`. */
  readonly pythonFolder: string
}

/** The environment of the program. No variable begins with QUIPU_: the keys of an operator are not for the program. */
export function childEnvironment(env: Environment, settings: ChildSettings): Record<string, string> {
  const { proxyUrl, tlsPort, key, bundle, nodePreload, pythonFolder } = settings
  // SDK 3 derives the address of its streams by replacing https: a plain address would not do.
  const address = `localhost:${tlsPort}`
  const child: Record<string, string | undefined> = {
    ...Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('QUIPU_'))),
    APCA_API_KEY_ID: key.keyId,
    APCA_API_SECRET_KEY: key.secretKey,
    APCA_API_BASE_URL: `https://${address}`,
    APCA_API_DATA_URL: `https://${address}`,
    APCA_DATA_BASE_URL: `https://${address}`,
    APCA_API_STREAM_URL: `wss://${address}`,
    // A token in these variables would replace the key in official SDKs, and belongs to the real broker.
    APCA_API_OAUTH: undefined,
    APCA_API_OAUTH_TOKEN: undefined,
    APCA_OAUTH: undefined,
    HTTPS_PROXY: proxyUrl,
    https_proxy: proxyUrl,
    ...Object.fromEntries(bundleVariables.map((name) => [name, bundle])),
    // curl prefers this folder to its file.
    SSL_CERT_DIR: undefined,
    NODE_OPTIONS: joined(' ', env['NODE_OPTIONS'], `--require ${quoted(nodePreload)}`),
    PYTHONPATH: joined(delimiter, pythonFolder, env['PYTHONPATH']),
  }
  for (const name of ['NO_PROXY', 'no_proxy']) child[name] = withoutOfficial(env[name])
  const set = Object.entries(child).filter(([, value]) => value !== undefined)
  return Object.fromEntries(set) as Record<string, string>
}

const joined = (separator: string, ...parts: readonly (string | undefined)[]): string =>
  parts.filter(Boolean).join(separator)

/** Node reads a path with spaces in quotes, with a backslash before quotes and backslashes. */
const quoted = (path: string): string => `"${path.replace(/["\\]/g, '\\$&')}"`

/** NO_PROXY without entries that would lead an official host past the proxy. */
function withoutOfficial(list: string | undefined): string | undefined {
  if (!list) return list
  const kept = entriesOf(list).filter(
    (entry) =>
      entry !== '*' && !isOfficial(entry.replace(/^\*?\./, '').replace(/:\d+$/, '')) && entry !== 'markets',
  )
  return kept.length === 0 ? undefined : kept.join(',')
}

const entriesOf = (list: string): readonly string[] =>
  list
    .split(/[\s,]+/)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')

/** The proxy that the environment names; `unusable` if its protocol is not http or https. */
export function outerProxy(env: Environment): OuterProxy | 'unusable' | undefined {
  const named = ['https_proxy', 'HTTPS_PROXY', 'all_proxy', 'ALL_PROXY']
    .map((name) => env[name])
    .find(Boolean)
  if (!named) return undefined
  const url = URL.parse(named.includes('://') ? named : `http://${named}`)
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') return 'unusable'
  return { url, except: entriesOf(env['no_proxy'] || env['NO_PROXY'] || '') }
}
