import { type Config, ConfigError } from './config.ts'
import { isLoopback } from './settings.table.ts'

export type Exposed = Pick<Config, 'host' | 'publicUrl' | 'tls' | 'sim' | 'metrics' | 'profile'>

/** What other computers could misuse, each with its repair; nothing where none can reach the server. */
export function exposureOf({ host, publicUrl, tls, sim, metrics }: Exposed): readonly string[] {
  const isOutside = publicUrl !== undefined && !isLoopback(hostNameOf(publicUrl))
  if (isLoopback(bare(host)) && !isOutside) return []
  const isEncrypted = tls.kind === 'files' || publicUrl?.startsWith('https:')
  return [
    ...(isEncrypted
      ? []
      : ['there is neither TLS nor an https public URL: set QUIPU_TLS, or QUIPU_PUBLIC_URL behind a proxy']),
    ...(sim ? ['the control plane is open: set QUIPU_SIM=off'] : []),
    ...(metrics === 'anyone' ? ['/metrics is open: set QUIPU_METRICS=operator'] : []),
  ]
}

/** Throws ConfigError where a shared server would be open to misuse. */
export function refuseExposure(config: Exposed): void {
  const exposed = exposureOf(config)
  if (config.profile === 'shared' && exposed.length > 0)
    throw new ConfigError(
      `QUIPU_PROFILE=shared does not start where other computers reach it and ${exposed.join('; ')}`,
    )
}

const bare = (host: string): string => (host.startsWith('[') ? host.slice(1, -1) : host)
const hostNameOf = (url: string): string => bare(new URL(url).hostname)
