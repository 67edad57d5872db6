import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildBroker } from '../../packaging/broker-package.ts'
import { names } from '../../packaging/names.ts'
import { packFolder } from '../../packaging/pack.ts'
import { installPrograms, nodeProgram } from '../programs/install.ts'
import { newFolder, plainEnvironment } from '../support/broker.ts'
import { builtWeb } from '../support/web-build.ts'

/** `npm run test:long` runs the slow tests of packages too. */
export const isLongRun = process.env['PACKAGES'] === 'all'

/** A version of Node with the path of its binary. */
export type Runtime = { readonly major: 20 | 22 | 24; readonly node: string }

/** The versions of Node that exist for this platform. */
export function runtimes(...majors: readonly Runtime['major'][]): readonly Runtime[] {
  installPrograms()
  return majors.flatMap((major) => {
    const node = nodeProgram(major)
    return node === undefined ? [] : [{ major, node }]
  })
}

let building: Promise<string> | undefined

/**
 * The folder of the built package of the server, before it is packed. The specs of a process share one build. The short run
 * copies the dashboard of the other tests: the published one is the same with smaller pages, and takes 14 CPU seconds.
 */
export function builtBroker(): Promise<string> {
  building ??= build()
  return building
}

async function build(): Promise<string> {
  const folder = newFolder()
  await buildBroker(folder, isLongRun ? {} : { web: builtWeb() })
  return folder
}

/** Packs the server and installs the tarball into an empty folder, as a user does. */
export async function installPacked(): Promise<string> {
  const { file } = packFolder(await builtBroker(), newFolder())
  const folder = newFolder()
  writeFileSync(join(folder, 'package.json'), '{ "private": true }')
  const flags = ['install', '--offline', '--no-audit', '--no-fund', '--engine-strict=false']
  execFileSync('npm', [...flags, file], { cwd: folder, env: plainEnvironment(), stdio: 'pipe' })
  return folder
}

/** The program of the packed server, installed in a folder. */
export const programIn = (folder: string): string => join(folder, 'node_modules', '.bin', names.broker)
