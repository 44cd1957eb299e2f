/** The only list of commands. */

import { browsersCommand } from './access/browsersCommand.ts';
import { clientsCommand } from './access/clientsCommand.ts';
import { keyCommand } from './access/keyCommand.ts';
import { openCommand } from './browser/openCommand.ts';
import { callCommand } from './call/callCommand.ts';
import { toolsCommand } from './call/toolsCommand.ts';
import { historyCommand } from './changes/historyCommand.ts';
import { undoCommand } from './changes/undoCommand.ts';
import { completionCommand } from './completion/completionCommand.ts';
import { configCommand } from './config/configCommand.ts';
import { connectCommand } from './connect/connectCommand.ts';
import { jobsCommand } from './jobs/jobsCommand.ts';
import { libraryCommand } from './library/libraryCommand.ts';
import { exportCommand } from './lists/exportCommand.ts';
import { importCommand } from './lists/importCommand.ts';
import { keepCommand } from './lists/keepCommand.ts';
import { playlistsCommand } from './lists/playlistsCommand.ts';
import { rememberedCommand } from './lists/rememberedCommand.ts';
import { loginCommand } from './login/loginCommand.ts';
import { logoutCommand } from './login/logoutCommand.ts';
import { logsCommand } from './serve/logsCommand.ts';
import { serveCommand } from './serve/serveCommand.ts';
import { stopCommand } from './serve/stopCommand.ts';
import { serviceCommand } from './service/serviceCommand.ts';
import { backupCommand } from './state/backupCommand.ts';
import { restoreCommand } from './state/restoreCommand.ts';
import { uninstallCommand } from './state/uninstallCommand.ts';
import { statusCommand } from './status/statusCommand.ts';
import { stdioCommand } from './stdio/stdioCommand.ts';

export const COMMANDS = [
  browsersCommand,
  clientsCommand,
  keyCommand,
  openCommand,
  callCommand,
  toolsCommand,
  historyCommand,
  undoCommand,
  completionCommand,
  configCommand,
  connectCommand,
  jobsCommand,
  libraryCommand,
  exportCommand,
  importCommand,
  keepCommand,
  playlistsCommand,
  rememberedCommand,
  loginCommand,
  logoutCommand,
  logsCommand,
  serveCommand,
  stopCommand,
  serviceCommand,
  backupCommand,
  restoreCommand,
  uninstallCommand,
  statusCommand,
  stdioCommand,
];
