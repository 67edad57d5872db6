// Loaded into a process before all else (`--import`, worker threads included): notes every way out of it, one line
// each, in the file that OUTWARD_RECORD names. Nothing is prevented.
import childProcess from 'node:child_process'
import dgram from 'node:dgram'
import dns from 'node:dns'
import { appendFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import net from 'node:net'
import { inspect } from 'node:util'

const file = process.env['OUTWARD_RECORD']!

/** Notes each call of these methods, then lets it through. */
function watch(owner: object, what: string, names: readonly string[]): void {
  const methods = owner as Record<string, (this: unknown, ...given: unknown[]) => unknown>
  for (const name of names) {
    const original = methods[name]!
    methods[name] = function (...given) {
      // An address that is no name is asked of nobody: a server that listens looks its own up.
      if (what !== 'dns' || !net.isIP(String(given[0])))
        appendFileSync(file, `${what} ${name} ${inspect(given, { breakLength: Number.POSITIVE_INFINITY })}\n`)
      return original.apply(this, given)
    }
  }
}

const questions = Object.keys(dns.promises).filter((name) => /^(lookup|resolve|reverse)/.test(name))
watch(net.Socket.prototype, 'socket', ['connect'])
watch(dgram.Socket.prototype, 'datagram', ['connect', 'send'])
watch(dns, 'dns', questions)
watch(dns.promises, 'dns', questions)
watch(childProcess.ChildProcess.prototype, 'program', ['spawn'])
syncBuiltinESMExports()
appendFileSync(file, 'watching\n')
