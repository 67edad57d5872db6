import { ChildProcess } from 'node:child_process'
import { Socket } from 'node:net'
import { BroadcastChannel, MessagePort } from 'node:worker_threads'

type Call = (this: unknown, ...args: unknown[]) => unknown

/**
 * Counts what this thread sends to other threads and processes. A report with a new number shows that another one may have
 * something to do.
 */
export function countMessages(): () => number {
  let sent = 0
  const count = (holder: object, name: string): void => {
    const methods = holder as Record<string, Call>
    const call = methods[name]
    if (typeof call !== 'function') return
    methods[name] = function counted(...args) {
      sent += 1
      return call.apply(this, args)
    }
  }
  count(MessagePort.prototype, 'postMessage')
  count(BroadcastChannel.prototype, 'postMessage')
  // Pipes to other processes.
  count(Socket.prototype, '_writeGeneric')
  count(process, 'send')
  count(Atomics, 'notify')
  const prototype = ChildProcess.prototype as unknown as { spawn: Call }
  const { spawn } = prototype
  prototype.spawn = function spawned(...args) {
    const result = spawn.apply(this, args)
    count(this as object, 'send')
    return result
  }
  return () => sent
}
