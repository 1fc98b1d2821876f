"""The web survey: it asks participants comparisons and builds the tree while they answer.

Started by ``ordlink collect``. From the bottom up:

==================================  ========================================================
study, study_files, settings        what is asked about what: a study file, a folder, a CSV
stimuli, texts                      what is shown; the words of the pages in every language
question_types                      the five ways to ask; from an answer to comparisons
schema, database, upgrade, backup   tables; the engine and the one thread that writes
trees, groups, samplers             the tree and its drawing; groups; which question next
question_queue                      questions leased by this process
rows, session                       what participants do: many steps in one transaction
people                              participants who join, return, withdraw; the owner's login
worker, running                     the answers; draws and trees beside the server
site, api, dashboard, server        what all routes share; the routes
results, exports                    what the owner sees; the downloads
==================================  ========================================================

An answer goes from ``api.give_answer`` through ``Database.write_together`` and
``StudySession.take`` to ``PendingRows.write``; it is acknowledged after the commit.

This module imports nothing: the web framework is an optional extra, ``ordlink[collect]``.
"""
