/** The parent domain of the official hosts. */
export const OFFICIAL_DOMAIN = 'alpaca.markets'

/** The official hosts: trading, market data, streams, broker and authorization; live, paper and sandbox. */
export const officialHosts: readonly string[] = [
  'api.alpaca.markets',
  'paper-api.alpaca.markets',
  'data.alpaca.markets',
  'data.sandbox.alpaca.markets',
  'stream.data.alpaca.markets',
  'stream.data.sandbox.alpaca.markets',
  'broker-api.alpaca.markets',
  'broker-api.sandbox.alpaca.markets',
  'authx.alpaca.markets',
  'authx.sandbox.alpaca.markets',
  'app.alpaca.markets',
]

/** The names of the certificate. Wildcards also cover official hosts that the list above does not have yet. */
export const certificateNames: readonly string[] = [
  ...['', 'sandbox.', 'data.', 'data.sandbox.'].map((part) => `*.${part}${OFFICIAL_DOMAIN}`),
  OFFICIAL_DOMAIN,
  'localhost',
]

/** Whether a host name is official. All names below the domain are: a program under test must never reach the real ones. */
export function isOfficial(host: string): boolean {
  const name = host.toLowerCase().replace(/\.$/, '')
  return name === OFFICIAL_DOMAIN || name.endsWith(`.${OFFICIAL_DOMAIN}`)
}
