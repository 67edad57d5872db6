import childProcessModule, { ChildProcess } from 'node:child_process'
import fs from 'node:fs'
import { basename } from 'node:path'
import workerModule, { threadId, type Worker as WorkerThread } from 'node:worker_threads'

type Spawn = (this: ChildProcess, options: SpawnOptions) => unknown
type SpawnOptions = { readonly file?: string; readonly args?: readonly string[] }
type Call = (...args: unknown[]) => unknown

/** Processes and threads that this one has started, until it has seen their ends. */
export type Children = {
  ids(): readonly (number | string)[]
  /** Whether one is so new that it may still join the replay. */
  areJoining(): boolean
}

export type ChildrenSetup = {
  readonly pipe: string
  readonly realNow: () => number
  readonly isInexact: (reason: string, hasPlace?: boolean) => void
  /** Calls a function that blocks this thread until another process ends. */
  blockFor<Result>(call: () => Result): Result
}

/** A process that has not joined after this time does not follow the clock. */
const JOINS_WITHIN_MS = 2000
/** Threads and other processes of Node and Python join, even on a busy machine. */
const FOLLOWER_JOINS_WITHIN_MS = 30_000
const joinsWithin = (name: string): number =>
  /^a thread|'(node|python)/.test(name) ? FOLLOWER_JOINS_WITHIN_MS : JOINS_WITHIN_MS

/** The id of this process or thread. */
export const memberId = (): number | string => (threadId === 0 ? process.pid : `${process.pid}-${threadId}`)

export function watchChildren(setup: ChildrenSetup): Children {
  const { pipe, realNow, isInexact } = setup
  const children = new Set<number | string>()
  const joining = new Map<number | string, { readonly sinceMs: number; readonly name: string }>()
  const add = (id: number | string, name: string, onEnd: (end: () => void) => unknown): void => {
    children.add(id)
    joining.set(id, { sinceMs: realNow(), name })
    onEnd(() => {
      children.delete(id)
      joining.delete(id)
    })
  }
  watchSpawn(add, isInexact)
  watchWorkers(add)
  watchSyncCalls(setup)
  const areJoining = (): boolean => {
    for (const [id, { sinceMs, name }] of joining) {
      const isLate = realNow() - sinceMs > joinsWithin(name)
      if (!isLate && !fs.existsSync(`${pipe}-${id}`)) continue
      joining.delete(id)
      if (isLate && !hasJoinedBelow(pipe, id)) isInexact(`${name} does not follow the clock of the world`)
    }
    return joining.size > 0
  }
  return { ids: () => [...children], areJoining }
}

type Add = (id: number | string, name: string, onEnd: (end: () => void) => unknown) => void

function watchSpawn(add: Add, isInexact: ChildrenSetup['isInexact']): void {
  const prototype = ChildProcess.prototype as unknown as { spawn: Spawn }
  const { spawn } = prototype
  prototype.spawn = function watched(options) {
    nameSleep([options.file, ...(options.args ?? []).slice(1)].join(' '), isInexact)
    const result = spawn.call(this, options)
    const { pid } = this
    if (pid !== undefined)
      add(pid, `the process '${basename(String(options.file))}'`, (end) => this.once('exit', end))
    return result
  }
}

function watchWorkers(add: Add): void {
  const { Worker } = workerModule
  workerModule.Worker = new Proxy(Worker, {
    construct(target, args, newTarget) {
      const worker = Reflect.construct(target, args, newTarget) as WorkerThread
      add(`${process.pid}-${worker.threadId}`, 'a thread', (end) => worker.once('exit', end))
      return worker
    },
  })
}

/** While another process ends, this one cannot report: it blocks. */
function watchSyncCalls({ pipe, realNow, isInexact, blockFor }: ChildrenSetup): void {
  const module = childProcessModule as unknown as Record<string, Call>
  for (const name of ['spawnSync', 'execSync', 'execFileSync']) {
    const call = module[name]!
    module[name] = (...args) => {
      const command = [args[0], ...(Array.isArray(args[1]) ? args[1] : [])].join(' ')
      nameSleep(command, isInexact)
      const [sinceMs, joined] = [realNow(), marksOf(pipe).length]
      try {
        return blockFor(() => call(...args))
      } finally {
        const isLong = realNow() - sinceMs > JOINS_WITHIN_MS
        if (isLong && marksOf(pipe).length === joined)
          isInexact(
            `the process '${basename(command.split(' ')[0]!)}' does not follow the clock of the world`,
          )
      }
    }
  }
}

/** `sleep` of a shell waits by the clock of the machine, however short. */
function nameSleep(command: string, isInexact: ChildrenSetup['isInexact']): void {
  if (/(^|[\s;&|(/])sleep\s+[\d.]/.test(command)) isInexact("the program waits by the command 'sleep'", true)
}

const marksOf = (pipe: string): readonly string[] => {
  const folder = pipe.slice(0, pipe.lastIndexOf('/') + 1)
  return folder === '' ? [] : fs.readdirSync(folder).filter((name) => name.startsWith(`${basename(pipe)}-`))
}

/** Whether a process that has joined was started by this one, as by a shell. Linux knows. */
function hasJoinedBelow(pipe: string, id: number | string): boolean {
  const parentOf = (pid: number): number => {
    try {
      const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8')
      return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
    } catch {
      return 0
    }
  }
  return marksOf(pipe).some((name) => {
    let pid = Number(name.split('-')[1])
    while (pid > 1 && pid !== id) pid = parentOf(pid)
    return pid === id
  })
}

/** The process that has started this one waits for the mark. */
export function leaveMark(pipe: string): void {
  try {
    if (process.platform !== 'win32') fs.writeFileSync(`${pipe}-${memberId()}`, '')
  } catch {
    // The run has ended.
  }
}
