import { existsSync, readFileSync } from 'node:fs'
import { lastBackupMs } from '@quipu/broker/backup/last-backup.ts'
import { readServerFile } from '@quipu/broker/data-folder/owner-file.ts'
import { version } from '@quipu/broker/data-folder/version.ts'
import { checkNames, type OutputOf } from '@quipu/contract'
import { errorMessage } from '@quipu/core/values'
import { ApiError, createClient, NetworkError } from '@quipu/sdk'
import type { Config } from '@quipu/server/config/config.ts'
import { type Check, finding, fine } from '@quipu/server/doctor/check.ts'
import { backupCheck, certificateFileCheck, clockCheck, diskCheck } from '@quipu/server/doctor/machine.ts'
import { reachChecks } from '@quipu/server/doctor/reach.ts'
import { readinessFix } from '@quipu/server/doctor/readiness.ts'
import { shellWord } from '@quipu/server/doctor/shell-word.ts'
import { type CliCommand, type CommandContext, CommandFailed, NoServer } from '../command.ts'
import { exitCode, failureText, isUntrusted } from '../failures.ts'
import { endpointOf, findServer, isServed, operatorOptions } from '../find-server.ts'

type Report = OutputOf<'getDoctor'>

/** A server that does not answer is a finding too. */
const TIMEOUT_MS = 30_000

export const doctorCommand: CliCommand = {
  name: 'doctor',
  about:
    'Check address, certificate, clock, disk, file limits, database, role, standby, backups, lag, leases and versions. ' +
    'Each problem comes with the command that mends it. Without a server, check the data folder and the database. ' +
    'The exit code is 0 if all is fine, and 1 if not.',
  operations: ['getDoctor'],
  example: 'quipu doctor',
  run: async (context) => {
    const checks = sorted(await checksOf(context))
    const isFine = checks.every(({ ok }) => ok)
    context.print(context.json ? JSON.stringify({ ok: isFine, checks }) : checks.map(linesOf).join('\n'))
    return isFine ? 0 : 1
  },
}

const sorted = (checks: readonly Check[]): readonly Check[] =>
  checks.toSorted((a, b) => checkNames.indexOf(a.check) - checkNames.indexOf(b.check))

const linesOf = ({ check, ok, detail, fix }: Check): string =>
  `${ok ? 'ok     ' : 'PROBLEM'}  ${check.padEnd(11)}  ${detail}${fix === undefined ? '' : `\n${' '.repeat(22)}fix: ${fix}`}`

async function checksOf({ config }: CommandContext): Promise<readonly Check[]> {
  let report: Report
  const sentMs = Date.now()
  try {
    const options = { ...operatorOptions(config), timeoutMs: TIMEOUT_MS, retries: 0 }
    report = await createClient(options).getDoctor()
  } catch (error) {
    return [await serverFinding(config, error), ...(await localChecks(config))]
  }
  const middleMs = (sentMs + Date.now()) / 2
  return [
    ...report.checks,
    ...(await addressChecks(config, report)),
    clockCheck('the server', Date.parse(report.at) - middleMs),
    report.version === version
      ? fine('versions', `this command and the server have version ${version}`)
      : finding(
          'versions',
          `this command has version ${version}, the server ${report.version}`,
          `npm install --global quipu-broker@${report.version}`,
        ),
  ]
}

/** Why the server does not run the checks. What `/readyz` says needs no key. */
async function serverFinding(config: Config, error: unknown): Promise<Check> {
  const isUnavailable = error instanceof ApiError && error.status === 503
  const problem = isUnavailable ? await whyNotReady(config) : undefined
  return problem === undefined
    ? finding('server', failureText(error).line, fixOf(config, error))
    : finding('server', problem, readinessFix(problem, folderOf(config)))
}

async function whyNotReady(config: Config): Promise<string | undefined> {
  try {
    await createClient({ ...endpointOf(config), timeoutMs: TIMEOUT_MS, retries: 0 }).getReadiness()
    return undefined
  } catch (error) {
    return errorMessage(error)
  }
}

const KEY_FIX =
  'export QUIPU_BROKER_KEY=KEY_ID QUIPU_BROKER_SECRET=SECRET    # of an operator key. If none is known: start the server ' +
  'with a new one in its settings (docs/guides/rotate.md)'

/** The command that mends a server that cannot be asked. */
function fixOf(config: Config, error: unknown): string {
  // A server that was asked may have ended meanwhile.
  if (error instanceof NoServer || !isServed(config)) return startOf(config)
  if (error instanceof CommandFailed || (error instanceof ApiError && [401, 403].includes(error.status)))
    return KEY_FIX
  if (error instanceof NetworkError) return networkFix(config, error)
  return readinessFix('', folderOf(config))
}

function networkFix(config: Config, error: NetworkError): string {
  const code = exitCode(error)
  if (code === 'CERT_HAS_EXPIRED')
    return 'certbot renew && systemctl restart quipu    # on the machine of the server, or reload its proxy'
  if (isUntrusted(code)) return 'quipu doctor --ca FILE    # the certificate of the authority'
  const { url, pid } = findServer(config)
  return pid === undefined
    ? `curl -v ${shellWord(`${url}/readyz`)}    # check DNS, firewall and proxy`
    : `systemctl restart quipu    # without systemd: kill ${pid}, then start the server again`
}

const startOf = (config: Config): string => {
  const folder = folderOf(config)
  const data = folder === undefined ? '' : ` --data ${shellWord(folder)}`
  return `systemctl start quipu    # without systemd: quipu start --detach${data}`
}

const folderOf = ({ data }: Config): string | undefined => (data.kind === 'folder' ? data.path : undefined)

/** The address that clients use, from this machine. The server itself checks the files of its certificate. */
async function addressChecks(config: Config, { public_url }: Report): Promise<readonly Check[]> {
  const { url } = findServer(config)
  const ca = config.ca === undefined ? undefined : await authoritiesWith(config.ca)
  const answered = fine('address', `${url} answers`)
  const used = public_url ?? config.url
  if (used === undefined) return [answered]
  return [...(used === url ? [] : [answered]), ...(await reachChecks({ url: used, ca }, Date.now()))]
}

async function authoritiesWith(file: string): Promise<readonly string[]> {
  const { rootCertificates } = await import('node:tls')
  return [...rootCertificates, readFileSync(file, 'utf8')]
}

/** The certificate of a server that runs, and that commands cannot reach because its certificate is not valid. */
const certificateOf = (folder: string | undefined): string | undefined =>
  folder === undefined ? undefined : readServerFile(folder)?.certificate

/** What can be checked without a server, on this machine. */
async function localChecks({ data, store, tls }: Config): Promise<readonly Check[]> {
  const folder = data.kind === 'folder' && existsSync(data.path) ? data.path : undefined
  const database =
    store.kind === 'postgres'
      ? await (await import('@quipu/server/doctor/database.ts')).examineDatabase(store.url, Date.now)
      : undefined
  const noted = folder === undefined ? undefined : lastBackupMs(folder)
  const backups = [noted, database?.backedUpMs].filter((ms) => ms !== undefined)
  const isStored = folder !== undefined || database !== undefined
  return [
    ...[tls.kind === 'files' ? tls.certificate : certificateOf(folder)]
      .filter((file) => file !== undefined)
      .map((file) => certificateFileCheck(file, Date.now())),
    ...(folder === undefined ? [] : [diskCheck(folder)]),
    ...(database?.checks ?? []),
    ...(isStored
      ? [backupCheck(backups.length > 0 ? Math.max(...backups) : undefined, Date.now(), folder)]
      : []),
  ]
}
