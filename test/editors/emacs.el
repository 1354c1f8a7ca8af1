;;; emacs.el --- spmd-clangd in emacs, by eglot in batch mode  -*- lexical-binding: t -*-

;; Findings, hover, hints, a repair. Notes are findings of their own here, as
;; eglot does not say that it takes related information.

(setq load-prefer-newer t make-backup-files nil create-lockfiles nil)
(dolist (folder (file-expand-wildcards "/usr/share/emacs/site-lisp/elpa/*" t))
  (add-to-list 'load-path folder))
(require 'eglot)
(require 'flymake)

(defun say (format &rest values)
  (princ (concat (apply #'format format values) "\n")))

(defun check (condition what)
  (unless condition
    (say "FAILED: %s" what)
    (kill-emacs 1)))

(defun until (what ask)
  (let ((end (+ (float-time) 60)) value)
    (while (and (not (setq value (funcall ask))) (< (float-time) end))
      (accept-process-output nil 0.1))
    (check value (concat "there was never " what))
    value))

(setq eglot-sync-connect 30 eglot-autoshutdown nil eglot-events-buffer-size 0
      eglot-send-changes-idle-time 0 eglot-confirm-server-initiated-edits nil)
(add-to-list 'eglot-server-programs
             `(c++-mode . (,(getenv "SPMD_CLANGD") "--log=error" "--background-index=false")))

(find-file (expand-file-name "step.cpp" (getenv "SPMD_WORKSPACE")))
(c++-mode)
(eglot--connect '(c++-mode) (cons 'transient default-directory) 'eglot-lsp-server
                (list (getenv "SPMD_CLANGD") "--log=error" "--background-index=false") "c++")
(eglot--maybe-activate-editing-mode)
(flymake-mode 1)
(flymake-start)

(defun messages () (mapcar #'flymake-diagnostic-text (flymake-diagnostics)))

(let ((found (until "a finding" (lambda () (flymake-start) (messages)))))
  (let ((ours (seq-find (lambda (text) (string-prefix-p "clang-tidy [spmd-partial-nonlinear]" text)) found)))
    (check (and ours (string-match-p "P on 'tp' and enters" ours)) (format "%S" found))
    (say "ok: finding: %s" (car (split-string ours "\n")))))

(defun ask (method &rest parameters)
  (jsonrpc-request (eglot--current-server-or-lose) method
                   (append (list :textDocument (eglot--TextDocumentIdentifier)) parameters)))

(let* ((hover (ask :textDocument/hover :position '(:line 14 :character 9)))
       (text (plist-get (plist-get hover :contents) :value)))
  (check (and (string-match-p "tp: V" text) (string-match-p "of 'up' (V)" text)) text)
  (say "ok: hover: %s" (substring text (string-match "\\**SPMD" text))))

(let* ((range '(:start (:line 0 :character 0) :end (:line 16 :character 0)))
       (labels (delq nil (mapcar (lambda (hint)
                                   (let ((label (plist-get hint :label)))
                                     (when (and (vectorp label) (string-prefix-p "[" (plist-get (aref label 0) :value)))
                                       (mapconcat (lambda (part) (plist-get part :value)) label ""))))
                                 (ask :textDocument/inlayHint :range range)))))
  (check (equal labels '("[tp: V]" "[tp: V]")) (format "%S" labels))
  (say "ok: hints: %s" (mapconcat #'identity labels " ")))

(goto-char (point-min))
(search-forward "y.relu")
(backward-char 4)
(let* ((at (eglot--pos-to-lsp-position))
       (diagnostics (vconcat (mapcar (lambda (d) (cdr (assoc 'eglot-lsp-diag (eglot--diag-data d))))
                                     (flymake-diagnostics))))
       (actions (ask :textDocument/codeAction :range (list :start at :end at)
                     :context (list :diagnostics diagnostics)))
       (fix (seq-find (lambda (action) (eq (plist-get action :isPreferred) t)) actions)))
  (check fix (format "%S" actions))
  (eglot--apply-workspace-edit (plist-get fix :edit))
  (eglot--signal-textDocument/didChange)
  (until "no finding after the repair" (lambda () (flymake-start) (null (messages))))
  (say "ok: repair: %s" (string-trim (thing-at-point 'line t))))

(say "all steps passed")
(set-buffer-modified-p nil)
(kill-emacs 0)
