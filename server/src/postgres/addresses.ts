/** One address for each host of `postgres://USER:PASSWORD@HOST:PORT,HOST:PORT/DATABASE`. */
export function addressesOf(url: string): readonly string[] {
  const [, front, hosts, rest] = /^(\w+:\/\/(?:[^@/?#]*@)?)([^/?#]*)(.*)$/.exec(url) ?? []
  return hosts === undefined ? [url] : hosts.split(',').map((host) => `${front}${host}${rest}`)
}

/** The address as it may be shown. */
export function withoutPassword(url: string): string {
  const hidden = url.replace(/^(\w+:\/\/[^:@/?#]*:)[^@/?#]*@/, '$1********@')
  return hidden.replace(/([?&]password=)[^&#]*/, '$1********')
}
