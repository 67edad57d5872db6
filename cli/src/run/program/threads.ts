import crypto from 'node:crypto'
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import zlib from 'node:zlib'

/** Work that a program gave to other threads. */
export type ThreadWork = { pending: number }

type Functions = Record<string, unknown>

/**
 * Counts calls of files, cryptography, compression and compilers until they end: Node itself does
 * not show all of them. `changed` is called after each.
 */
export function watchThreads(changed: () => void): ThreadWork {
  const work: ThreadWork = { pending: 0 }
  const count = (holder: Functions, names: readonly string[]): void => {
    for (const name of names) if (typeof holder[name] === 'function') countCalls(holder, name, work, changed)
  }
  for (const module of [fs, zlib] as unknown as readonly Functions[])
    count(
      module,
      Object.keys(module).filter((name) => typeof module[`${name}Sync`] === 'function'),
    )
  const promises = fs.promises as unknown as Functions
  countHandles(promises, count)
  const endless = ['watch', 'glob']
  count(
    promises,
    Object.keys(promises).filter((name) => !endless.includes(name)),
  )
  const jobs = [
    'pbkdf2',
    'scrypt',
    'hkdf',
    'argon2',
    'randomBytes',
    'randomFill',
    'randomInt',
    'sign',
    'verify',
  ]
  count(crypto as unknown as Functions, [
    ...jobs,
    'generateKey',
    'generateKeyPair',
    'generatePrime',
    'checkPrime',
  ])
  const subtle = Object.getPrototypeOf(crypto.webcrypto.subtle) as Functions
  count(
    subtle,
    Object.getOwnPropertyNames(subtle).filter((name) => name !== 'constructor'),
  )
  // The first fetch of Node compiles its parser.
  const compilers = ['compile', 'compileStreaming', 'instantiate', 'instantiateStreaming']
  count((globalThis as unknown as { readonly WebAssembly: Functions }).WebAssembly, compilers)
  syncBuiltinESMExports()
  return work
}

/** The class of file handles is known once the program has opened a file. */
function countHandles(
  promises: Functions,
  count: (holder: Functions, names: readonly string[]) => void,
): void {
  const open = promises['open'] as (...args: unknown[]) => Promise<object>
  const methods = [
    'read',
    'readv',
    'readFile',
    'write',
    'writev',
    'writeFile',
    'appendFile',
    'sync',
    'datasync',
  ]
  let isCounted = false
  promises['open'] = async (...args: unknown[]) => {
    const handle = await open(...args)
    if (!isCounted) count(Object.getPrototypeOf(handle) as Functions, [...methods, 'stat', 'close'])
    isCounted = true
    return handle
  }
}

/** Replaces a function by one that counts from its call to its callback, or to the end of its promise. */
function countCalls(holder: Functions, name: string, work: ThreadWork, changed: () => void): void {
  if (!Object.getOwnPropertyDescriptor(holder, name)?.writable) return
  const begin = (): (() => void) => {
    let isPending = true
    work.pending += 1
    return () => {
      if (isPending) work.pending -= 1
      isPending = false
      changed()
    }
  }
  const apply = (target: (...args: unknown[]) => unknown, self: unknown, args: unknown[]): unknown => {
    const callback = args.at(-1)
    if (typeof callback === 'function') {
      const end = begin()
      const counted = function counted(this: unknown, ...results: unknown[]): unknown {
        end()
        return callback.apply(this, results)
      }
      try {
        return Reflect.apply(target, self, [...args.slice(0, -1), counted])
      } catch (error) {
        end()
        throw error
      }
    }
    const result = Reflect.apply(target, self, args)
    if (!(result instanceof Promise)) return result
    const end = begin()
    // The program gets the new promise, so that an error which it does not handle stays unhandled.
    const failed = (error: unknown): never => {
      end()
      throw error
    }
    return result.then((value) => {
      end()
      return value
    }, failed)
  }
  holder[name] = new Proxy(holder[name] as (...args: unknown[]) => unknown, { apply })
}
