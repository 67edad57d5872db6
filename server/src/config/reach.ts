/** The settings that decide who can reach the server. */
export type ReachSettings = {
  readonly host: string
  readonly publicUrl?: string | undefined
  readonly trustProxy: boolean
}

/**
 * Whether other computers can reach the server: it listens on another address than loopback, or a proxy passes their
 * requests on to loopback. Limits and the checks of QUIPU_PROFILE use this response.
 */
export const isPublic = ({ host, publicUrl, trustProxy }: ReachSettings): boolean =>
  !isLoopback(host) || trustProxy || (publicUrl !== undefined && !isLoopback(new URL(publicUrl).hostname))

/** Of an address or a host name, an IPv6 address also in brackets. */
export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host)
