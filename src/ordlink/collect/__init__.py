"""The web survey: it asks participants comparisons and builds the tree while they answer.

Started by ``ordlink collect``. From the bottom up:

===============================  ===========================================================
study, stimuli, media, texts     what is asked about what: a study file, a folder, a CSV
question_types                   the five ways to ask; from an answer to comparisons
schema, database                 tables; the engine and the one thread that writes
draws, samplers, adaptive        which question next
question_queue                   questions leased by this process
rows, session                    what participants do: many steps in one transaction
participants, owner              joining, returning, withdrawing; passwords and sessions
reading, quality, trees          the answers, how good they are, the tree
worker, running                  draws and trees beside the server; the background
site, security, server, app      what all routes share; the list of routes
api, pages, dashboard            the routes; overview, drawing and export serve the dashboard
===============================  ===========================================================

An answer goes from ``api.give_answer`` through ``Database.write_together`` and
``StudySession.take`` to ``PendingRows.write``; it is acknowledged after the commit.

This module imports nothing: the web framework is an optional extra, ``ordlink[collect]``.
"""
