"""The SDK that is installed here, under names that all of them share. What differs between them is in the two modules
beside this one; a virtual environment holds only one of the packages.
"""

try:
    import dapr.ext.workflow  # noqa: F401
except ImportError:
    from sdk.task_hub import *  # noqa: F403
else:
    from sdk.dapr_workflow import *  # noqa: F403
