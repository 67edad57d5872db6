import { readFileSync } from 'node:fs'
import { isIPv4, type Socket } from 'node:net'
import { endianness } from 'node:os'

/** The state of a connection that both sides use. Linux reports no user for one whose process has closed it. */
const ESTABLISHED = '01'

/** Whether a process of our user opened a connection of this machine. Only Linux reports it; elsewhere: no. */
export function isOfThisUser({ remoteAddress, remotePort, localAddress, localPort }: Socket): boolean {
  const user = process.getuid?.()
  if (process.platform !== 'linux' || user === undefined) return false
  // The peer's row has the addresses the other way round.
  const [ours, theirs] = [endsOf(localAddress, localPort), endsOf(remoteAddress, remotePort)]
  return ['/proc/net/tcp', '/proc/net/tcp6'].some((file) =>
    rowsOf(file).some((row) => {
      // Number, local address, remote address, state, queues, timer, retransmits, user.
      const [, local = '', remote = '', state, , , , owner] = row.trim().split(/ +/)
      const isPeer = theirs.includes(local) && ours.includes(remote)
      return isPeer && state === ESTABLISHED && Number(owner) === user
    }),
  )
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
