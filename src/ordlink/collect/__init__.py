"""The web app that asks people comparisons and grows the tree while they answer.

Started by ``ordlink collect``. One idea per file, from the bottom up:

========================  ==================================================================
study, stimuli, media     what is asked about what: from a study file, a folder, a CSV, a list
questions                 the five ways to ask; from an answer to comparisons
samplers                  which question next
schema, database          tables, migrations; SQLite or PostgreSQL
steps, writer             what a person does, many steps in one transaction
reading, quality          what was answered, by whom, how well
worker, hub               trees and questions, computed beside the server
people, devices           coming, coming back, leaving
owner, security, app      sessions, headers, limits, the list of routes
========================  ==================================================================

This module imports nothing: the web framework is an optional extra, ``ordlink[collect]``.
"""
