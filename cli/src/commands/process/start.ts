import { fstatSync } from 'node:fs'
import { networkInterfaces } from 'node:os'
import { resolve } from 'node:path'
import { isDiskFull } from '@quipu/broker/data-folder/disk-space.ts'
import { removeServerFile, type ServerFile, writeServerFile } from '@quipu/broker/data-folder/owner-file.ts'
import { version } from '@quipu/broker/data-folder/version.ts'
import { type Log, stderrLog } from '@quipu/broker/log/log.ts'
import { exposureOf } from '@quipu/server/config/exposure.ts'
import type { RunningQuipu } from '@quipu/server/start/start.ts'
import { type CliCommand, type CommandContext, type ExitCode, UsageError } from '../command.ts'
import { registerServer, unregisterServer } from '../running-servers.ts'
import { notifyParent, startDetached } from './detach.ts'
import { type Ready, readyJson, readyScreen, stateScreen, urlsElsewhere, withoutSecrets } from './ready.ts'

export const startCommand: CliCommand = {
  name: 'start',
  about: 'Start the broker and run until it is stopped.',
  settings: 'all',
  usesDataFolder: true,
  flags: {
    detach: { about: 'Run in the background; return when the server is ready.' },
    quiet: { about: 'Print no key and no secret. For service managers, whose logs others read.' },
    'exit-with-parent': { about: 'Stop when the process that started the server has ended.' },
    'accept-journal-loss': {
      about:
        'Start although the journal lost its last events, and continue without them. The proof of the loss is kept.',
    },
  },
  example: 'quipu start --port 8080 --hours nyse',
  run: async (context) => {
    const { args, config, note } = context
    const exposed = exposureOf(config)
    if (exposed.length > 0 && config.profile === 'local')
      note(`warning: other computers can reach this server, and ${exposed.join('; ')}`)
    if (!args.has('detach')) return serve(context)
    if (args.has('exit-with-parent'))
      throw new UsageError('--detach and --exit-with-parent exclude each other: remove one')
    const { data } = context.config
    if (data.kind === 'memory') throw new UsageError('--detach needs a data folder: remove `--data memory`')
    printReady(context, await startDetached(context, data.path))
    return 0
  },
}

async function serve(context: CommandContext): Promise<ExitCode> {
  const { config, args } = context
  const ended = shutdownRequested(args.has('exit-with-parent'))
  const log = stderrLog(config.log)
  // Only this command needs the whole server; other commands start faster without it.
  const { startQuipu } = await import('@quipu/server/start/start.ts')
  const starting = startQuipu(config, log, { acceptJournalLoss: args.has('accept-journal-loss') })
  const quipu = await Promise.race([starting, ended])
  // A start may wait for its database. Nothing is acknowledged yet, so the process may exit as after a crash.
  if (typeof quipu === 'string') {
    log.info('stopped while starting', { because: quipu })
    log.flush()
    process.exit(0)
  }
  const ready = readyOf(context, quipu)
  const folder = ready.dataFolder
  if (folder !== undefined) {
    const { tls, publicUrl, store } = config
    const certificate = tls.kind === 'files' ? resolve(tls.certificate) : undefined
    const { url } = quipu
    announce(folder, { url, publicUrl, pid: process.pid, version, store: store.kind, certificate }, log)
    registerServer(context.env, folder)
  }
  printReady(context, ready)
  notifyParent({ kind: 'ready', ready })
  const end = await Promise.race([
    ended.then((because) => ({ because, exit: 0 as const })),
    quipu.takenOver.then(({ message }) => ({ because: message, exit: 1 as const })),
  ])
  log.info('stopping', { because: end.because })
  await quipu.close()
  if (folder !== undefined) {
    unregisterServer(context.env, folder)
    removeServerFile(folder)
  }
  log.flush()
  return end.exit
}

const ANNOUNCE_MS = 1_000

/** Writes the server file. On a full disk without space for it, the server runs and tries again. */
function announce(folder: string, server: ServerFile, log: Log): void {
  try {
    writeServerFile(folder, server)
  } catch (error) {
    if (!isDiskFull(error)) throw error
    log.error('the disk is full: commands on this machine cannot find the server', { folder })
    const timer = setInterval(() => {
      try {
        writeServerFile(folder, server)
        clearInterval(timer)
      } catch {
        // The disk is still full.
      }
    }, ANNOUNCE_MS).unref()
  }
}

function readyOf(
  { config }: CommandContext,
  { url, credentials, isFirstStart, signInUrl, warning, recovered }: RunningQuipu,
): Ready {
  return {
    url,
    publicUrl: config.publicUrl,
    version,
    urlsElsewhere:
      config.publicUrl === undefined ? urlsElsewhere(config.host, url, networkInterfaces()) : undefined,
    credentials,
    signInUrl,
    warning,
    dataFolder: config.data.kind === 'folder' ? config.data.path : undefined,
    recovered: isFirstStart && recovered.cutBytes === 0 ? undefined : recovered,
  }
}

function printReady({ json, print, env, args, sources }: CommandContext, message: Ready): void {
  const ready = args.has('quiet') ? withoutSecrets(message) : message
  if (json) return print(readyJson(ready))
  if (args.has('quiet')) return print(stateScreen(ready))
  const { self, isCheckout } = commandIn(env)
  // npm runs commands in its checkout, where the default folder needs no --data.
  const data = isCheckout && sources.data.source === 'default' ? undefined : ready.dataFolder
  const options = { self, detached: args.has('detach'), data }
  print(readyScreen(ready, options))
}

/** The command that a user types next: in a checkout, after `npx` or in an npm script, and with the program on the PATH. */
function commandIn(env: CommandContext['env']): { readonly self: string; readonly isCheckout: boolean } {
  if (env['npm_lifecycle_event'] === undefined) return { self: 'quipu', isCheckout: false }
  const isCheckout = env['npm_package_name'] === 'quipu-repository'
  return { self: isCheckout ? 'npm run quipu --' : 'npx quipu-broker', isCheckout }
}

const PARENT_POLL_MS = 500
/** npm forwards a Ctrl-C that the terminal has already sent: a second signal this soon is the same one. */
const SAME_MS = 500

/** Resolves with the reason when the process should stop. A second signal stops it at once. */
function shutdownRequested(withParent: boolean): Promise<string> {
  return new Promise((resolve) => {
    let requestedAt: number | undefined
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
      process.on(signal, () => {
        const now = performance.now()
        if (requestedAt !== undefined && now - requestedAt > SAME_MS) process.exit(1)
        requestedAt ??= now
        resolve(signal)
      })
    }
    if (withParent) watchParent(() => resolve('the parent process has ended'))
  })
}

/** The parent has ended when stdin or the IPC channel closes, or when the parent process id changes. */
function watchParent(onEnd: () => void): void {
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid !== parent) onEnd()
  }, PARENT_POLL_MS)
  timer.unref()
  process.once('disconnect', onEnd)
  const stdin = fstatSync(0)
  // A file or /dev/null is at its end from the start, which does not mean that the parent has ended.
  if (!stdin.isFIFO() && !stdin.isSocket()) return
  process.stdin.on('end', onEnd).on('close', onEnd).on('error', onEnd).resume()
  // Watching the parent must not keep the process alive.
  ;(process.stdin as unknown as { unref?: () => void }).unref?.()
}
