import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { names } from '../../packaging/names.ts'
import { pack } from '../../packaging/pack.ts'
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

/**
 * Packs these packages and installs the tarballs into an empty folder, as a user does. The short run copies the dashboard
 * of the other tests: the published one is the same with smaller pages, and takes 14 CPU seconds.
 */
export async function installPacked(...packages: string[]): Promise<string> {
  const tarballs = await pack(newFolder(), packages, isLongRun ? {} : { web: builtWeb() })
  const folder = newFolder()
  writeFileSync(join(folder, 'package.json'), '{ "private": true }')
  const flags = ['install', '--offline', '--no-audit', '--no-fund', '--engine-strict=false']
  execFileSync('npm', [...flags, ...tarballs.map(({ file }) => file)], {
    cwd: folder,
    env: plainEnvironment(),
    stdio: 'pipe',
  })
  return folder
}

/** The program of the packed server, installed in a folder. */
export const programIn = (folder: string): string => join(folder, 'node_modules', '.bin', names.broker)
