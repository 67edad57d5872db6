import { ChildProcess } from 'node:child_process'
import fs from 'node:fs'

type Spawn = (this: ChildProcess, ...args: unknown[]) => unknown

/** The processes that this one starts, until it has seen their ends. */
export function watchChildren(): ReadonlySet<number> {
  const children = new Set<number>()
  const prototype = ChildProcess.prototype as unknown as { spawn: Spawn }
  const { spawn } = prototype
  prototype.spawn = function watched(...args) {
    const result = spawn.apply(this, args)
    const { pid } = this
    if (pid !== undefined) {
      children.add(pid)
      this.once('exit', () => children.delete(pid))
    }
    return result
  }
  return children
}

/** A Python process that has started this one waits for the mark. */
export function leaveMark(pipe: string): void {
  try {
    if (process.platform !== 'win32') fs.writeFileSync(`${pipe}-${process.pid}`, '')
  } catch {
    // The run has ended.
  }
}
