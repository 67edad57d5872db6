import { join } from 'node:path'

type Platform = NodeJS.Platform

const signals = ['SIGTERM', 'SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2', 'SIGWINCH'] as const

/** The signals that a program gets when we get them. Windows has only the first three. */
export const forwardedSignals = (platform: Platform = process.platform): readonly NodeJS.Signals[] =>
  platform === 'win32' ? signals.slice(0, 3) : signals

/** The address of a local socket. On Windows it is no file, so its name has the folder, which is of one run. */
export const pipePath = (folder: string, name: string, platform: Platform = process.platform): string =>
  platform === 'win32' ? `\\\\.\\pipe\\${folder.replace(/\W/g, '-')}-${name}` : join(folder, name)
