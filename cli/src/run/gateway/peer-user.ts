import { readFileSync } from 'node:fs'
import { isIPv4, type Socket } from 'node:net'
import { endianness } from 'node:os'

/** The state of a connection that both sides use. Linux reports no user for one whose process has closed it. */
const ESTABLISHED = '01'

/** The kernel lists connections in parts: one may be missing while others begin and end. */
const READS = 5

/** Whether a process of our user opened a connection of this machine. Only Linux reports it; elsewhere: no. */
export function isOfThisUser(connection: Socket): boolean {
  const user = process.getuid?.()
  if (process.platform !== 'linux' || user === undefined) return false
  for (let reads = 0; reads < READS; reads++) {
    const owner = peerOf(connection)
    if (owner !== undefined) return owner === user
  }
  return false
}

/** The user of the process at the other end; undefined if the kernel does not list it. */
function peerOf({ remoteAddress, remotePort, localAddress, localPort }: Socket): number | undefined {
  // The peer's row has the addresses the other way round.
  const [ours, theirs] = [endsOf(localAddress, localPort), endsOf(remoteAddress, remotePort)]
  for (const row of ['/proc/net/tcp', '/proc/net/tcp6'].flatMap(rowsOf)) {
    // Number, local address, remote address, state, queues, timer, retransmits, user.
    const [, local = '', remote = '', state, , , , owner] = row.trim().split(/ +/)
    if (state === ESTABLISHED && theirs.includes(local) && ours.includes(remote)) return Number(owner)
  }
  return undefined
}

/** An end of a loopback connection as the kernel prints it: of a socket for IPv4, and of one for IPv6. */
function endsOf(address = '', port = 0): readonly string[] {
  const portText = hex(port, 4)
  if (address === '::1') return [`00000000000000000000000001000000:${portText}`]
  if (!isIPv4(address)) return []
  // Words of four bytes, in the order of the machine.
  const bytes = address.split('.').map((byte) => hex(Number(byte), 2))
  const word = (endianness() === 'LE' ? bytes.reverse() : bytes).join('')
  return [`${word}:${portText}`, `0000000000000000FFFF0000${word}:${portText}`]
}

const hex = (number: number, digits: number): string =>
  number.toString(16).toUpperCase().padStart(digits, '0')

function rowsOf(file: string): readonly string[] {
  try {
    return readFileSync(file, 'utf8').split('\n').slice(1)
  } catch {
    return []
  }
}
