// Loaded first into a process and its worker threads (`--import`). Appends one line for each outgoing connection, DNS
// lookup and child process to the file in OUTWARD_RECORD. It blocks nothing.
import childProcess from 'node:child_process'
import dgram from 'node:dgram'
import dns from 'node:dns'
import { appendFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import net from 'node:net'
import { inspect } from 'node:util'

const file = process.env['OUTWARD_RECORD']!

/** Records each call of these methods, then runs it. */
function watch(owner: object, kind: string, names: readonly string[]): void {
  const methods = owner as Record<string, (this: unknown, ...args: unknown[]) => unknown>
  for (const name of names) {
    const original = methods[name]!
    methods[name] = function (...args) {
      // A server that listens looks up its own IP address, which sends no DNS query.
      if (kind !== 'dns' || !net.isIP(String(args[0])))
        appendFileSync(file, `${kind} ${name} ${inspect(args, { breakLength: Number.POSITIVE_INFINITY })}\n`)
      return original.apply(this, args)
    }
  }
}

const lookups = Object.keys(dns.promises).filter((name) => /^(lookup|resolve|reverse)/.test(name))
watch(net.Socket.prototype, 'socket', ['connect'])
watch(dgram.Socket.prototype, 'datagram', ['connect', 'send'])
watch(dns, 'dns', lookups)
watch(dns.promises, 'dns', lookups)
watch(childProcess.ChildProcess.prototype, 'program', ['spawn'])
syncBuiltinESMExports()
appendFileSync(file, 'watching\n')
