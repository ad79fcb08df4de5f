// The signs of the page, from one set (Heroicons), by what they mean here, and the buttons that carry them. A sign says nothing to a
// screen reader: the button around it has a name.

import {
  ArrowDownIcon,
  ArrowDownTrayIcon,
  ArrowPathIcon,
  ArrowUpIcon,
  ArrowUturnLeftIcon,
  ArrowUturnRightIcon,
  ArrowsPointingInIcon,
  ArrowsRightLeftIcon,
  Bars3Icon,
  BellIcon,
  BellSlashIcon,
  ChatBubbleLeftIcon,
  CheckIcon,
  ChevronDownIcon,
  ChevronRightIcon,
  Cog6ToothIcon,
  CommandLineIcon,
  ComputerDesktopIcon,
  DocumentIcon,
  DocumentTextIcon,
  ExclamationTriangleIcon,
  FolderIcon,
  MinusCircleIcon,
  MoonIcon,
  NoSymbolIcon,
  PaperClipIcon,
  PencilIcon,
  PlayCircleIcon,
  PlusIcon,
  QueueListIcon,
  ShareIcon,
  Square2StackIcon,
  StopIcon,
  SunIcon,
  TrashIcon,
  ViewColumnsIcon,
  XMarkIcon,
} from "@heroicons/react/16/solid";
import type { ComponentProps, ComponentType } from "react";

const signs = {
  plus: PlusIcon,
  menu: Bars3Icon,
  close: XMarkIcon,
  send: ArrowUpIcon,
  stop: StopIcon,
  clip: PaperClipIcon,
  pencil: PencilIcon,
  trash: TrashIcon,
  again: ArrowPathIcon,
  copy: Square2StackIcon,
  bubble: ChatBubbleLeftIcon,
  check: CheckIcon,
  down: ArrowDownIcon,
  open: ChevronDownIcon,
  shut: ChevronRightIcon,
  ring: MinusCircleIcon,
  now: PlayCircleIcon,
  denied: NoSymbolIcon,
  alert: ExclamationTriangleIcon,
  folder: FolderIcon,
  file: DocumentIcon,
  fork: ShareIcon,
  changes: DocumentTextIcon,
  undo: ArrowUturnLeftIcon,
  redo: ArrowUturnRightIcon,
  columns: ViewColumnsIcon,
  rows: QueueListIcon,
  fold: ArrowsPointingInIcon,
  save: ArrowDownTrayIcon,
  bell: BellIcon,
  mute: BellSlashIcon,
  wire: ArrowsRightLeftIcon,
  keys: CommandLineIcon,
  settings: Cog6ToothIcon,
  sun: SunIcon,
  moon: MoonIcon,
  half: ComputerDesktopIcon,
} as const satisfies Readonly<Record<string, ComponentType<{ className?: string }>>>;

export type IconName = keyof typeof signs;

export function Icon({ name, className = "size-4" }: { readonly name: IconName; readonly className?: string }) {
  const Named = signs[name];
  return <Named className={`shrink-0 ${className}`} />;
}

interface ButtonProps extends ComponentProps<"button"> {
  readonly label: string;
  readonly icon?: IconName;
  /** For what stands beside a text. */
  readonly isSmall?: boolean;
}

export function Button({ label, icon, isSmall = false, className = "", ...others }: ButtonProps) {
  return (
    <button type="button" className={`button ${isSmall ? "button-quiet button-small" : ""} ${className}`} {...others}>
      {icon && <Icon name={icon} className={isSmall ? "size-3.5" : "size-4"} />}
      {label}
    </button>
  );
}

interface IconButtonProps extends ComponentProps<"button"> {
  readonly name: IconName;
  /** For a screen reader, and shown when the pointer rests. */
  readonly label: string;
}

export function IconButton({ name, label, className = "", ...others }: IconButtonProps) {
  return (
    <button type="button" className={`button button-quiet min-w-9 px-2 ${className}`} aria-label={label} title={label} {...others}>
      <Icon name={name} />
    </button>
  );
}
