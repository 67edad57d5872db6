import { signal } from '@preact/signals'
import { overlay } from '../shell/keys.ts'
import type { Command } from './built-files.ts'

/** The operation whose form is open. */
export const chosenCommand = signal<Command | undefined>(undefined)

export function openCommand(command: Command): void {
  chosenCommand.value = command
  overlay.value = 'command'
}
