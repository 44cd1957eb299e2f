/** The script of relay's pages: the approval page and the owner's page. */
import { approvalPage } from './approval.ts';
import { ownerPage } from './owner.ts';

const form = document.getElementById('approval');
if (form instanceof HTMLFormElement) approvalPage(form);

const root = document.getElementById('owner');
if (root) ownerPage(root);
