import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

/**
 * `npm start`: builds the dashboard beside the server, if it is out of date, and starts the server in this process. One
 * command without `exec`, which `cmd` and PowerShell do not have.
 */
spawnSync(process.execPath, [join(import.meta.dirname, '..', 'web', 'build.ts'), '--beside'], {
  stdio: 'inherit',
})

// npm sends a signal to the shell of the script. Some shells end without passing it on.
const { ppid } = process
const look = setInterval(() => {
  if (process.ppid === ppid) return
  clearInterval(look)
  process.kill(process.pid, 'SIGTERM')
}, 200).unref()

process.argv.splice(2, 0, 'start')
await import('./bin/quipu.js')
