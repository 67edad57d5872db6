import { execFileSync, spawnSync } from 'node:child_process'
import { names } from './names.ts'

/** The program that builds images here, if there is one. */
export const imageBuilder = (): 'podman' | 'docker' | undefined =>
  (['podman', 'docker'] as const).find((name) => spawnSync(name, ['--version']).status === 0)

/** Builds the image of the Containerfile from the tarball in `dist`, and writes it as an archive for `podman load`. */
export function buildImage(
  checkout: string,
  version: string,
  archive: string,
  buildArgs: readonly string[],
): void {
  const builder = imageBuilder()
  if (builder === undefined) throw new Error('an image needs podman or docker; --no-image omits it')
  const tag = `localhost/${names.image}:${version}`
  // The OCI format has no health checks.
  const format = builder === 'podman' ? ['--format', 'docker'] : []
  const args = buildArgs.flatMap((arg) => ['--build-arg', arg])
  const run = (line: readonly string[]) => execFileSync(builder, line, { cwd: checkout, stdio: 'pipe' })
  run(['build', ...format, ...args, '-f', 'Containerfile', '-t', tag, '.'])
  run(['save', ...(builder === 'podman' ? ['--format', 'docker-archive'] : []), '-o', archive, tag])
}
