import { shellWord } from './shell-word.ts'

export const DATABASE_FIX =
  'systemctl status postgresql    # on the machine of the database; then check QUIPU_STORE'

/** The largest folders. The data folder of a unit is a link, which du follows with -D only. */
export const sizesOf = (folder: string): string =>
  `du -Dxh --max-depth=2 ${shellWord(folder)} | sort -h    # delete old backups, or grow the disk`

/** The command that mends a server that is not ready, by the message of `/readyz`. */
export function readinessFix(problem: string, folder: string | undefined): string {
  if (problem.includes('the disk is full')) return folder === undefined ? 'df -h' : sizesOf(folder)
  if (problem.includes('the database')) return DATABASE_FIX
  if (problem.includes('this node')) return 'quipu cluster status    # then: quipu cluster move WORLD NODE'
  return 'journalctl -u quipu -n 50    # without systemd: server.log in the data folder'
}
