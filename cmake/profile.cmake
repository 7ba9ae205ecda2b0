# CROFT_PROFILE: a simulator that writes a profile when it ends, and one that is optimised by it. Both in one build
# folder, since GCC finds an object's profile by the object's path (`make wheel`).
if(NOT CROFT_PROFILE STREQUAL "")
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    message(FATAL_ERROR "CROFT_PROFILE is for GCC: clang's profiles have to be merged by a tool of the same version")
  elseif(CROFT_PROFILE STREQUAL "generate")
    set(profile -fprofile-generate=${CROFT_PROFILE_DATA})
  elseif(CROFT_PROFILE STREQUAL "use")
    if(NOT IS_DIRECTORY ${CROFT_PROFILE_DATA})
      message(FATAL_ERROR "CROFT_PROFILE_DATA: there is no folder ${CROFT_PROFILE_DATA}; generate a profile first")
    endif()
    # What the training did not reach is optimised as without a profile, not for size.
    set(profile -fprofile-use=${CROFT_PROFILE_DATA} -fprofile-partial-training -Wno-missing-profile)
  else()
    message(FATAL_ERROR "CROFT_PROFILE is generate, use, or nothing, not ${CROFT_PROFILE}")
  endif()
  target_compile_options(croftsim PRIVATE ${profile})
  target_link_options(croftsim PUBLIC ${profile})
endif()
