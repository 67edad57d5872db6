import { type Config, ConfigError } from './config.ts'
import { isPublic, type ReachSettings } from './reach.ts'

export type ExposureSettings = ReachSettings & Pick<Config, 'tls' | 'sim' | 'metrics' | 'profile'>

/** What other computers could misuse, each with a fix. Empty if no other computer can reach the server. */
export function exposureOf(settings: ExposureSettings): readonly string[] {
  if (!isPublic(settings)) return []
  const { publicUrl, tls, sim, metrics } = settings
  const isEncrypted = tls.kind === 'files' || publicUrl?.startsWith('https:')
  return [
    ...(isEncrypted
      ? []
      : ['connections are not encrypted: set QUIPU_TLS, or an https QUIPU_PUBLIC_URL behind a proxy']),
    ...(sim ? ['the control plane is open: set QUIPU_SIM=off'] : []),
    ...(metrics === 'anyone' ? ['/metrics is open: set QUIPU_METRICS=operator'] : []),
  ]
}

/** Throws ConfigError if a shared server would be open to misuse. */
export function refuseExposure(config: ExposureSettings): void {
  const exposed = exposureOf(config)
  if (config.profile === 'shared' && exposed.length > 0)
    throw new ConfigError(
      `QUIPU_PROFILE=shared refuses to start, because other computers can reach this server and ${exposed.join('; ')}`,
    )
}
